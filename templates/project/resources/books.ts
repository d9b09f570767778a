import { anyOf, defineResource, role, t, user } from 'gatehouse-server/resources';
