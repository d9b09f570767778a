import { conflict, defineRoute, Type } from 'gatehouse-server/routes';

export default defineRoute({
  method: 'POST',
  path: '/v1/invoices',
  auth: 'auth:api',
  body: Type.Object({ to: Type.String(), amount: Type.Integer() }),
  status: 202,
  handle: async ({ body, later, transaction }) => ({
    key: await transaction(async (tx) => {
      const key = await later('send-invoice', body, { tx });
      if (body.amount < 0) throw conflict('An invoice asks for money.');
      return key;
    }),
  }),
});
