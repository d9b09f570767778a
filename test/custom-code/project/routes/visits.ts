import { defineRoute, owner, role, Type } from 'gatehouse-server/routes';

const body = Type.Object({
  resource: Type.String(),
  call: Type.String(),
  as: Type.Union([Type.Literal('caller'), Type.Literal('service')]),
  id: Type.Optional(Type.String()),
  values: Type.Optional(Type.Unknown()),
  inside: Type.Optional(Type.Boolean()),
  unbound: Type.Optional(Type.Boolean()),
  fail: Type.Optional(Type.Boolean()),
});

/** Makes the call in the body, inside or outside of a transaction. */
export const calls = defineRoute({
  method: 'POST',
  path: '/v1/resource-calls',
  auth: 'auth:api',
  body,
  async handle({ body: sent, resource, transaction }) {
    const run = async (tx?: Parameters<Parameters<typeof transaction>[0]>[0]) => {
      const { as, values, id, call } = sent;
      // biome-ignore lint/suspicious/noExplicitAny: the test chooses the resource.
      const calls = resource(sent.resource, { as, tx }) as any;
      const args = ['create', 'list', 'aggregate'].includes(call) ? [values] : [id, values];
      return calls[call](...args);
    };
    if (!sent.inside) return { result: await run() };
    const result = await transaction(async (tx) => {
      const made = await run(sent.unbound ? undefined : tx);
      if (sent.fail) throw new Error('after the write');
      return made;
    });
    return { result };
  },
});

/** Applies the resource's rule for updates to the row. */
export const closings = defineRoute({
  method: 'POST',
  path: '/v1/pet-visits/:id/closings',
  auth: 'auth:api',
  resource: 'pet-visits',
  handle: ({ row, resource, transaction }) =>
    transaction(async (tx) => {
      await resource('pet-visits', { as: 'service', tx }).update(row.id, { state: 'closed' });
      return { before: row.state, note: row.note };
    }),
});

/** A separate rule of the route for the row. */
export const notes = defineRoute({
  method: 'GET',
  path: '/v1/pet-visits/:id/notes',
  auth: 'auth:api',
  resource: 'pet-visits',
  access: owner('user_id'),
  handle: ({ row }) => ({ note: row.note }),
});

/** A rule for the caller, without a row. */
export const reports = defineRoute({
  method: 'GET',
  path: '/v1/pet_reports',
  auth: 'auth:api',
  access: role('vet'),
  handle: () => ({ fine: true }),
});

/** The operator's own SQL. Statements of the query builder are completed. */
export const rows = defineRoute({
  method: 'POST',
  path: '/v1/raw-rows',
  auth: 'auth:api',
  body: Type.Object({
    title: Type.String(),
    next: Type.Optional(Type.String()),
    byExpression: Type.Optional(Type.Boolean()),
  }),
  handle: ({ body: { title, next, byExpression }, transaction }) =>
    transaction(async (tx) => {
      const made = await tx
        .insertInto('bills')
        .values([{ title, amount: 3, number: title }])
        .returning('id')
        .execute();
      const id = made[0]?.id;
      if (next !== undefined) await tx.updateTable('bills as b').set({ title: next }).where('b.id', '=', id).execute();
      if (byExpression) {
        await tx
          .updateTable('bills')
          .set((eb) => ({ title: eb.ref('number') }))
          .where('id', '=', id)
          .execute();
      }
      const again = { title: title.toUpperCase(), amount: 4, number: title };
      await tx
        .insertInto('bills')
        .values(again)
        .onConflict((on) =>
          on.column('number').doUpdateSet((eb) => ({ title: eb.ref('excluded.title'), currency: 'USD' })),
        )
        .execute();
      return { data: { id } };
    }),
});

/** Queues a job of the operator. */
export const reminders = defineRoute({
  method: 'POST',
  path: '/v1/reminders',
  auth: 'auth:api',
  body: Type.Object({ to: Type.String() }),
  status: 202,
  handle: async ({ body: { to }, later }) => ({ key: await later('remind', { to }) }),
});
