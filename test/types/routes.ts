/** The lines that the editor marks in a route or page. See `declarations.ts`. */
import { definePage, defineRoute, Type } from 'gatehouse-server/routes';

defineRoute({
  method: 'POST',
  path: '/v1/reports/:id',
  auth: 'auth:api',
  scope: 'reports:write',
  params: Type.Object({ id: Type.String() }),
  query: Type.Object({ year: Type.Integer() }),
  body: Type.Object({ title: Type.String() }),
  async handle({ params, query, body, caller, db, transaction, recordEvent, mail, later }) {
    const id: string = params.id;
    const year: number = query.year;
    const title: string = body.title;
    // @ts-expect-error
    params.ida;
    // @ts-expect-error
    query.month;
    // @ts-expect-error
    body.titel;
    // @ts-expect-error
    caller.groups;
    await db.selectFrom('books').select('id').execute();
    return transaction(async (tx) => {
      await tx.insertInto('books').values({ id, title, title_folded: title.toLowerCase() }).execute();
      await recordEvent('report.made', { title }, tx);
      await mail('report-made', 'ada@example.com', { title }, tx);
      await later('print', { id, year }, { tx });
      return { id };
    });
  },
});

// @ts-expect-error
defineRoute({ method: 'GETT', path: '/v1/a', auth: 'public', handle: () => 1 });
// @ts-expect-error
defineRoute({ method: 'GET', path: '/v1/a', auth: 'auth-api', handle: () => 1 });
// @ts-expect-error
defineRoute({ method: 'GET', path: '/v1/a', auth: 'public', scop: 'a:b', handle: () => 1 });
// @ts-expect-error
defineRoute({ method: 'GET', path: '/v1/a', auth: 'public' });
// @ts-expect-error
defineRoute({ method: 'GET', path: '/v1/a', auth: 'public', query: { year: 'number' }, handle: () => 1 });

definePage({ path: '/status', auth: 'auth:web', view: 'status', load: ({ caller }) => ({ who: caller.userId }) });
// @ts-expect-error
definePage({ path: '/status', auth: 'auth:api', view: 'status' });
// @ts-expect-error
definePage({ path: '/status', auth: 'public', veiw: 'status' });
