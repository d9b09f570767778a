import assert from 'node:assert/strict';
import { it } from 'node:test';
import { systemSource as source } from '../../src/http/request-source.ts';
import { findUser, rolesOf } from '../../src/identity/accounts/user-store.ts';
import { addUser } from '../../test/harness/accounts.ts';
import { contexts } from '../../test/harness/contexts.ts';
import { onBothEngines } from '../../test/harness/engines.ts';
import { changeRoles } from './change-roles.ts';

onBothEngines('Role changes by an operator', (engine) => {
  const make = contexts(engine);

  it('are all kept when they are concurrent', async () => {
    const context = await make({ env: { ROLES: 'a,b,c,d' } });
    const { id: userId } = await addUser(context, { roles: ['a'] });
    await Promise.all([
      changeRoles(context, { userId, give: ['b'], take: [], source }),
      changeRoles(context, { userId, give: ['c'], take: [], source }),
      changeRoles(context, { userId, give: ['d'], take: ['a'], source }),
    ]);
    const user = (await findUser(context.database.db, userId)) ?? assert.fail();
    assert.deepEqual(rolesOf(user).sort(), ['b', 'c', 'd']);
  });

  it('are recorded only if something changed', async () => {
    const context = await make();
    const { id: userId } = await addUser(context, { roles: [] });
    for (let i = 0; i < 2; i++) await changeRoles(context, { userId, give: ['admin'], take: [], source });
    const events = await context.database.db
      .selectFrom('events')
      .select('data')
      .where('user_id', '=', userId)
      .execute();
    assert.deepEqual(
      events.map(({ data }) => JSON.parse(data).changes.roles),
      [{ from: [], to: ['admin'] }],
    );
  });
});
