import { definePage, defineRoute } from 'gatehouse-server/routes';

export const ping = defineRoute({
  method: 'GET',
  path: '/v1/pings/:id',
  auth: 'public',
  handle: ({ params }) => params,
});

export const mine = defineRoute({
  method: 'GET',
  path: '/v1/mine',
  auth: 'auth:web',
  summary: 'For pages of this service',
  handle: ({ caller }) => ({ who: caller.userId }),
});

export const page = definePage({
  path: '/status',
  auth: 'auth:web',
  view: 'status',
  load: ({ caller }) => ({ title: '<Status>', who: caller.userId }),
});
