import assert from 'node:assert/strict';
import { it } from 'node:test';
import pg from 'pg';
import { addClient, addUser } from '../../../../test/harness/accounts.ts';
import { contexts, type TestContext } from '../../../../test/harness/contexts.ts';
import { createSessions } from '../../../../test/harness/create-sessions.ts';
import { onBothEngines } from '../../../../test/harness/engines.ts';
import { openSession, refreshSession } from '../../../../test/harness/sessions.ts';
import { signToken } from '../../../../test/harness/sign-token.ts';
import { type KeyRing, openKeyRing } from '../../../database/keys/key-ring.ts';
import { systemSource as source } from '../../../http/request-source.ts';
import { issuePersonalToken } from '../personal-tokens/personal-tokens.ts';
import type { Sessions } from '../sessions.ts';
import { findSession, type TokenSession } from '../store/session-store.ts';
import type { TokenVerifier } from './token-verifier.ts';

interface Stage {
  context: TestContext;
  keys: KeyRing;
  sessions: Sessions;
  verifier: TokenVerifier;
  userId: string;
  clientId: string;
  writes: number;
}

async function stage(made: TestContext): Promise<Stage> {
  const on = { writes: 0 } as Stage;
  const { database } = made;
  const counted = Object.create(database, {
    write: {
      value: (...call: Parameters<typeof database.write>) => {
        on.writes++;
        return database.write(...call);
      },
    },
  }) as typeof database;
  on.context = { ...made, database: counted };
  on.keys = await openKeyRing(made);
  on.userId = (await addUser(made)).id;
  on.clientId = (await addClient({ context: made, keys: on.keys }, { type: 'password' })).id;
  Object.assign(on, createSessions(on.context, on.keys));
  return on;
}

const open = ({ context, sessions, userId, clientId }: Stage): Promise<TokenSession> =>
  openSession({ context, sessions }, { userId, clientId, scopes: ['cars:read', 'cars:write'], source });

const refresh = async ({ sessions, clientId }: Stage, session: TokenSession) =>
  (await refreshSession(sessions, { refreshToken: sessions.makeRefreshToken(session), clientId, source })).session;

const usedAt = async ({ context }: Stage, { id }: TokenSession) => {
  const row = await findSession(context.database, id);
  return row && row.used_generation === row.generation ? row.used_at : null;
};

onBothEngines('The first use of a refreshed session', (engine) => {
  const make = contexts(engine);

  it('costs one write per refresh, and none for a login or a personal access token', async () => {
    const on = await stage(await make());
    const { sessions, verifier } = on;
    const login = await open(on);
    const personal = await issuePersonalToken(on.context.database, sessions, {
      userId: on.userId,
      name: 'own',
      scopes: ['*'],
    });
    on.writes = 0;
    for (const row of [login, personal]) await verifier.verify(signToken(sessions, row), null);
    assert.equal(on.writes, 0);
    const next = await refresh(on, login);
    on.writes = 0;
    const tokens = Array.from({ length: 5 }, () => signToken(sessions, next));
    tokens.push(signToken(sessions, next, ['cars:read']), signToken(sessions, login));
    for (const token of [...tokens, ...tokens]) await verifier.verify(token, null);
    assert.equal(on.writes, 1);
    assert.equal(await usedAt(on, login), on.context.now());
    await refresh(on, next);
    assert.equal(await usedAt(on, login), null);
  });

  it('counts for a downscoped token too, and its time is not changed later', async () => {
    const on = await stage(await make());
    const login = await open(on);
    const next = await refresh(on, login);
    await on.verifier.verify(signToken(on.sessions, next, ['cars:read']), null);
    const first = on.context.now();
    on.context.advance(5000);
    await on.verifier.verify(signToken(on.sessions, next), null);
    assert.equal(await usedAt(on, login), first);
    on.context.advance(5001);
    await assert.rejects(refresh(on, login), { error: 'invalid_grant' });
  });

  it('ends the grace period immediately if REFRESH_GRACE is 0, but not before', async () => {
    const on = await stage(await make({ env: { REFRESH_GRACE: '0' } }));
    const login = await open(on);
    const next = await refresh(on, login);
    on.context.advance(86_400_000);
    assert.equal((await refresh(on, login)).generation, 1);
    await on.verifier.verify(signToken(on.sessions, next), null);
    on.context.advance(1);
    await assert.rejects(refresh(on, login), { error: 'invalid_grant' });
  });

  if (engine === 'postgres') {
    it('is refused while it cannot be recorded', async () => {
      const made = await make();
      const on = await stage(made);
      const login = await open(on);
      const token = signToken(on.sessions, await refresh(on, login));
      const { url } = made.testDatabase;
      const name = new URL(url).pathname.slice(1);
      const operator = new pg.Client({ connectionString: url });
      await operator.connect();
      try {
        await operator.query(`alter database ${name} set default_transaction_read_only = on`);
        await operator.query(
          'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
          [name],
        );
        for (let i = 0; i < 3; i++) {
          await assert.rejects(async () => on.verifier.verify(token, null), { status: 503 });
        }
        await operator.query('set default_transaction_read_only = off');
        await operator.query(`alter database ${name} reset default_transaction_read_only`);
      } finally {
        await operator.end();
      }
      const again = await stage(await make({ database: made.testDatabase }));
      assert.equal(await usedAt(again, login), null);
      await again.verifier.verify(token, null);
      assert.equal(await usedAt(again, login), again.context.now());
    });
  }
});
