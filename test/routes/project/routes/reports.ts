import { badRequest, defineRoute, Type } from 'gatehouse-server/routes';

export const list = defineRoute({
  method: 'GET',
  path: '/v1/reports',
  auth: 'auth:api',
  scope: 'reports:read',
  summary: 'Reports of a year',
  query: Type.Object({ year: Type.Integer({ minimum: 2000 }) }),
  response: Type.Object({ year: Type.Integer(), reader: Type.String() }),
  handle: ({ caller, query }) => ({ year: query.year, reader: caller.userId ?? '', secret: 'not described' }),
});

export const filtered = defineRoute({
  method: 'GET',
  path: '/v1/filtered-reports',
  auth: 'public',
  access: 'public',
  query: Type.Object({}, { patternProperties: { '^by_': Type.String() } }),
  handle: ({ query }) => query,
});

export const make = defineRoute({
  method: 'POST',
  path: '/v1/reports',
  auth: 'auth:api',
  scope: 'reports:write',
  body: Type.Object({ title: Type.String({ minLength: 1 }) }),
  status: 201,
  async handle({ body, transaction, recordEvent, mail }) {
    if (body.title === 'nonsense') throw badRequest('This is nonsense.', 'nonsense');
    return transaction(async (tx) => {
      await recordEvent('report.made', { title: body.title }, tx);
      await mail('report-made', 'ada@example.com', { title: body.title }, tx);
      return { title: body.title };
    });
  },
});
