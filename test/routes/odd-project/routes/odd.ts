import { conflict, defineRoute, Type } from 'gatehouse-server/routes';

/** Unusual return values of a handler. */
const answers: Record<string, unknown> = { text: 'plain "text"', nothing: undefined, none: null, number: 7, list: [1] };

export const odd = defineRoute({
  method: 'GET',
  path: '/v1/odds/:id',
  auth: 'public',
  params: Type.Object({ id: Type.String() }),
  handle: ({ params }) => answers[params.id],
});

export const raw = defineRoute({
  method: 'GET',
  path: '/v1/raws',
  auth: 'public',
  handle: ({ reply }) => reply.type('text/csv').send('a,b'),
});

export const described = defineRoute({
  method: 'GET',
  path: '/v1/described',
  auth: 'public',
  response: Type.String(),
  handle: () => 'plain "text"',
});

export const refused = defineRoute({
  method: 'POST',
  path: '/v1/refusals',
  auth: 'auth:api',
  scope: 'refusals:write',
  body: Type.Object({ how: Type.Optional(Type.String()) }),
  async handle({ body, transaction, recordEvent }) {
    return transaction(async (tx, caller) => {
      await recordEvent('refusal.made', {}, tx);
      if (body.how === 'conflict') throw conflict('There is one already.', 'refused_already');
      if (body.how === 'bug') throw new Error('a secret of the code');
      return { by: caller.userId };
    });
  },
});

export const form = defineRoute({
  method: 'POST',
  path: '/answers',
  auth: 'auth:web',
  body: Type.Object({ answer: Type.Integer() }),
  handle: ({ body, caller }) => ({ answer: body.answer, by: caller.userId }),
});
