import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onBothEngines } from '../harness/engines.ts';
import { type Service, services } from '../harness/service.ts';
import { oldDatabases } from './old-database.ts';
import { heldByClients, mappedScopes, runImport, setClock, whoAmI } from './run-import.ts';

const held = heldByClients('passport10');

/** Everything that an import has written, except random values. */
async function stateOf(service: Service): Promise<string> {
  const { db } = service.context.database;
  const users = await db
    .selectFrom('users')
    .select(['email', 'name', 'roles', 'email_confirmed'])
    .orderBy('email')
    .execute();
  const sessions = await db
    .selectFrom('sessions')
    .select(['id', 'type', 'name', 'scopes', 'expires_at', 'revoked_at'])
    .where('client_id', 'is not', null)
    .orderBy('id')
    .execute();
  const tokens = await db
    .selectFrom('legacy_tokens')
    .select(['id', 'session_id', 'expires_at'])
    .orderBy('id')
    .execute();
  const ids = await db
    .selectFrom('legacy_ids')
    .select(['source', 'old_id', 'fingerprint', 'version'])
    .orderBy('source')
    .orderBy('old_id')
    .execute();
  const clients = await db.selectFrom('clients').select(['id', 'type', 'name', 'scopes']).orderBy('id').execute();
  return JSON.stringify([users, sessions, tokens, ids, clients]);
}

onBothEngines('An interrupted import', (engine) => {
  const start = services(engine);
  const make = oldDatabases('sqlite');

  it('has the same result as an uninterrupted one after it is repeated, wherever it stopped', async () => {
    const old = await make();
    const whole = await start();
    setClock(whole);
    let steps = 0;
    await runImport(whole, old, { scopes: mappedScopes }, { progress: () => steps++ });
    assert.ok(steps >= 4);
    const expected = await stateOf(whole);
    const broken = await start();
    broken.advance(whole.context.now() - broken.context.now());
    for (let step = 1; step <= steps; step++) {
      let count = 0;
      const stop = () => {
        if (++count === step) throw new Error('pulled the plug');
      };
      await assert.rejects(runImport(broken, old, { scopes: mappedScopes }, { progress: stop }), /pulled the plug/);
    }
    // Everything imported so far already works.
    assert.equal((await whoAmI(broken, held.of('login').access_token)).status, 200);
    await runImport(broken, old, { scopes: mappedScopes });
    assert.equal(await stateOf(broken), expected);
  });
});
