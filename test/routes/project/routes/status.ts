import { definePage, defineRoute } from 'gatehouse-server/routes';

export const ping = defineRoute({
  method: 'GET',
  path: '/v1/pings/:id',
  auth: 'public',
  handle: ({ params }) => params,
});

export const page = definePage({
  path: '/status',
  auth: 'auth:web',
  view: 'status',
  load: ({ caller }) => ({ title: '<Status>', who: caller.userId }),
});
