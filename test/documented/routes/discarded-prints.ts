import { defineRoute } from 'gatehouse-server/routes';

export default defineRoute({ method: 'DELETE', path: '/v1/prints', auth: 'auth:api', handle: () => undefined });
