import { allOf, defineRoute, role, stepUp } from '../../../extensions/custom-routes/declare.ts';

export default defineRoute({
  method: 'POST',
  path: '/v1/alarms',
  auth: 'auth:api',
  access: allOf(role('admin'), stepUp({ maxAge: '5m' })),
  handle: () => ({ armed: true }),
});
