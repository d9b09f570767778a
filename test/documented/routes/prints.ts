import { defineRoute } from 'gatehouse-server/routes';

export default defineRoute({
  method: 'POST',
  path: '/v1/prints',
  auth: 'auth:api',
  status: 202,
  handle: () => ({ queued: true }),
});
