import assert from 'node:assert/strict';
import { it } from 'node:test';
import { addClient, addUser } from '../../../test/harness/accounts.ts';
import { contexts, type TestContext } from '../../../test/harness/contexts.ts';
import { createSessions } from '../../../test/harness/create-sessions.ts';
import { onBothEngines } from '../../../test/harness/engines.ts';
import { openSession, refreshSession } from '../../../test/harness/sessions.ts';
import { signToken } from '../../../test/harness/sign-token.ts';
import { commitAndInvalidate } from '../../database/bus.ts';
import { type KeyRing, openKeyRing } from '../../database/keys/key-ring.ts';
import { systemSource as source } from '../../http/request-source.ts';
import { endSessions, pruneSessions } from './end-sessions.ts';
import { issuePersonalToken, revealPersonalToken } from './personal-tokens/personal-tokens.ts';
import type { Sessions } from './sessions.ts';
import { findSession, type TokenSession } from './store/session-store.ts';
import type { TokenVerifier } from './verify/token-verifier.ts';

interface Stage {
  context: TestContext;
  keys: KeyRing;
  sessions: Sessions;
  verifier: TokenVerifier;
  userId: string;
  clientId: string;
}

async function stage(context: TestContext): Promise<Stage> {
  const keys = await openKeyRing(context);
  const { id: userId } = await addUser(context, { roles: ['admin'] });
  const { id: clientId } = await addClient({ context, keys }, { type: 'password' });
  return { context, keys, ...createSessions(context, keys), userId, clientId };
}

const open = ({ context, sessions, userId, clientId }: Stage): Promise<TokenSession> =>
  openSession({ context, sessions }, { userId, clientId, scopes: ['*'], source });

const refresh = async ({ sessions, clientId }: Stage, refreshToken: string) =>
  (await refreshSession(sessions, { refreshToken, clientId, source })).session;

const end = ({ context, sessions }: Stage, sessionId: string) =>
  commitAndInvalidate(context.database, (tx, invalidate) =>
    endSessions(sessions, tx, invalidate, { sessionId }, 'test'),
  );

const refusedWith = (code: string) => (error: { code?: string; status?: number }) => {
  assert.equal(error.status, 401);
  assert.equal(error.code, code);
  return true;
};

const verify = async ({ verifier }: Stage, token: string) => verifier.verify(token, null);

onBothEngines('Sessions', (engine) => {
  const make = contexts(engine);

  it('verify a known token synchronously, and identify its user', async () => {
    const on = await stage(await make());
    const session = await open(on);
    const token = signToken(on.sessions, session);
    const first = on.verifier.verify(token, null);
    assert.ok(first instanceof Promise);
    const caller = await first;
    assert.deepEqual(
      { ...caller },
      {
        kind: 'user',
        userId: on.userId,
        clientId: on.clientId,
        sessionId: session.id,
        application: false,
        roles: ['admin'],
        scopes: ['*'],
        proof: { time: null, amr: [], acr: null, freshSeconds: 900, renewable: true },
      },
    );
    assert.equal(on.verifier.verify(token, null), caller);
    on.context.advance(on.context.config.accessTokenTtl * 1000);
    assert.throws(() => on.verifier.verify(token, null), refusedWith('token_expired'));
    await assert.rejects(verify(on, token), refusedWith('token_expired'));
  });

  it('limit the lifetime of access tokens to their own', async () => {
    const on = await stage(await make({ env: { REFRESH_TOKEN_TTL: '10', ACCESS_TOKEN_TTL: '3600' } }));
    const session = await open(on);
    assert.equal(on.sessions.accessTokenTtl(session), 10);
    const token = signToken(on.sessions, session);
    on.context.advance(9999);
    await verify(on, token);
    on.context.advance(1);
    await pruneSessions(on.context);
    await assert.rejects(verify(on, token), refusedWith('token_expired'));
  });

  it('give 20 concurrent refreshes one successor', async () => {
    const on = await stage(await make());
    const token = on.sessions.makeRefreshToken(await open(on));
    const rows = await Promise.all(Array.from({ length: 20 }, () => refresh(on, token)));
    assert.equal(new Set(rows.map((row) => on.sessions.makeRefreshToken(row))).size, 1);
    const live = await on.context.database.db
      .selectFrom('sessions')
      .select('id')
      .where('revoked_at', 'is', null)
      .execute();
    assert.equal(live.length, 1);
    assert.equal(rows[0]?.generation, 1);
  });

  it('use constant storage over 2,000 refreshes', { timeout: 600_000 }, async () => {
    const on = await stage(await make());
    const { db } = on.context.database;
    let session = await open(on);
    const size = async () => {
      const rows = await db.selectFrom('sessions').selectAll().execute();
      const events = await db.selectFrom('events').select('id').execute();
      return { rows: rows.length, events: events.length, columns: Object.keys(rows[0] as object).length };
    };
    const before = await size();
    for (let i = 0; i < 2_000; i++) {
      on.context.advance(1000);
      session = await refresh(on, on.sessions.makeRefreshToken(session));
    }
    assert.equal(session.generation, 2_000);
    assert.deepEqual(await size(), before);
    await verify(on, signToken(on.sessions, session));
  });

  it('end when a refresh token is reused after the grace period, although the request fails', async () => {
    const on = await stage(await make());
    const first = await open(on);
    const second = await refresh(on, on.sessions.makeRefreshToken(first));
    const access = signToken(on.sessions, second);
    await verify(on, access);
    on.context.advance(10_000);
    assert.equal((await refresh(on, on.sessions.makeRefreshToken(first))).generation, 1);
    on.context.advance(1);
    await assert.rejects(refresh(on, on.sessions.makeRefreshToken(first)), { error: 'invalid_grant' });
    await assert.rejects(verify(on, access), refusedWith('token_revoked'));
    await assert.rejects(refresh(on, on.sessions.makeRefreshToken(second)), { error: 'invalid_grant' });
    const events = await on.context.database.db
      .selectFrom('events')
      .select(['type', 'session_id', 'user_id'])
      .execute();
    assert.deepEqual(
      events.map((event) => ({ ...event })),
      [{ type: 'refresh_token.reused', session_id: first.id, user_id: on.userId }],
    );
  });

  it('allow the grace period only for the immediate predecessor', async () => {
    const on = await stage(await make());
    const first = await open(on);
    const second = await refresh(on, on.sessions.makeRefreshToken(first));
    await refresh(on, on.sessions.makeRefreshToken(second));
    await assert.rejects(refresh(on, on.sessions.makeRefreshToken(first)), { error: 'invalid_grant' });
    assert.notEqual((await findSession(on.context.database, first.id))?.revoked_at, null);
  });

  it('refuse a refresh token of another client, and continue', async () => {
    const on = await stage(await make());
    const other = await addClient(on, { type: 'password' });
    const session = await open(on);
    const refreshToken = on.sessions.makeRefreshToken(session);
    await assert.rejects(refreshSession(on.sessions, { refreshToken, clientId: other.id, source }), {
      error: 'invalid_grant',
    });
    assert.equal((await refresh(on, refreshToken)).generation, 1);
  });

  it('refuse forged refresh tokens', async () => {
    const on = await stage(await make());
    const token = on.sessions.makeRefreshToken(await open(on));
    const [id, , mac] = token.split('.') as [string, string, string];
    for (const forged of [
      `${id}.${btoa('1').replace(/=+$/, '')}.${mac}`,
      `${id}.1.${mac}`,
      `${token}A`,
      `${id}.00.${mac}`,
      token.toUpperCase(),
      '..',
      '',
      'x'.repeat(5000),
    ])
      await assert.rejects(refresh(on, forged), { error: 'invalid_grant' });
  });

  it('report why a token is refused: revoked, client gone, user gone', async () => {
    const on = await stage(await make());
    const { db } = on.context.database;
    const [revoked, pruned, clientGone, userGone] = (await Promise.all([open(on), open(on), open(on), open(on)])) as [
      TokenSession,
      TokenSession,
      TokenSession,
      TokenSession,
    ];
    const token = (session: TokenSession) => signToken(on.sessions, session);
    for (const session of [revoked, pruned, clientGone, userGone]) await verify(on, token(session));
    await end(on, revoked.id);
    await assert.rejects(verify(on, token(revoked)), refusedWith('token_revoked'));
    await db.deleteFrom('sessions').where('id', '=', pruned.id).execute();
    await commitAndInvalidate(on.context.database, async (_tx, invalidate) =>
      invalidate({ kind: 'session', id: pruned.id }),
    );
    await assert.rejects(verify(on, token(pruned)), refusedWith('token_revoked'));
    await commitAndInvalidate(on.context.database, async (tx, invalidate) => {
      await tx.deleteFrom('clients').where('id', '=', on.clientId).execute();
      invalidate({ kind: 'client', id: on.clientId });
    });
    await assert.rejects(verify(on, token(clientGone)), refusedWith('client_revoked'));
    await commitAndInvalidate(on.context.database, async (tx, invalidate) => {
      await tx.deleteFrom('users').where('id', '=', on.userId).execute();
      invalidate({ kind: 'user', id: on.userId });
    });
    await assert.rejects(verify(on, token(userGone)), refusedWith('user_gone'));
  });

  it('do not cache a verification that ran during a revocation', async () => {
    const on = await stage(await make());
    const session = await open(on);
    const token = signToken(on.sessions, session);
    const beside = Promise.resolve(on.verifier.verify(token, null)).catch(() => undefined);
    await Promise.all([beside, end(on, session.id)]);
    await assert.rejects(verify(on, token), refusedWith('token_revoked'));
  });

  it('apply a changed role from the next request on', async () => {
    const on = await stage(await make());
    const token = signToken(on.sessions, await open(on));
    assert.deepEqual((await verify(on, token)).roles, ['admin']);
    await commitAndInvalidate(on.context.database, async (tx, invalidate) => {
      await tx.updateTable('users').set({ roles: '[]' }).where('id', '=', on.userId).execute();
      invalidate({ kind: 'user', id: on.userId });
    });
    assert.deepEqual((await verify(on, token)).roles, []);
  });

  it('lose scopes when their client loses them', async () => {
    const on = await stage(await make());
    const session = await openSession(on, {
      userId: on.userId,
      clientId: on.clientId,
      scopes: ['cars:read', 'cars:write'],
      source,
    });
    const token = signToken(on.sessions, session);
    assert.deepEqual((await verify(on, token)).scopes, ['cars:read', 'cars:write']);
    await commitAndInvalidate(on.context.database, async (tx, invalidate) => {
      await tx.updateTable('clients').set({ scopes: '["cars:read"]' }).where('id', '=', on.clientId).execute();
      invalidate({ kind: 'client', id: on.clientId });
    });
    assert.deepEqual((await verify(on, token)).scopes, ['cars:read']);
  });

  it('record their last use in batches and rarely', async () => {
    const on = await stage(await make());
    const rows = await Promise.all(Array.from({ length: 3 }, () => open(on)));
    const use = async (ip: string) => {
      for (const row of rows) await on.verifier.verify(signToken(on.sessions, row), { ip });
      await on.verifier.flush();
      const found = await Promise.all(rows.map((row) => findSession(on.context.database, row.id)));
      return found.map((row) => [row?.last_used_at, row?.address]);
    };
    const at = on.context.now();
    assert.deepEqual(await use('10.0.0.1'), Array(3).fill([at, '10.0.0.1']));
    on.context.advance(59_000);
    assert.deepEqual(await use('10.0.0.2'), Array(3).fill([at, '10.0.0.1']));
    on.context.advance(1000);
    assert.deepEqual(await use('10.0.0.3'), Array(3).fill([at + 60_000, '10.0.0.3']));
  });

  it('show the value of a personal access token once, to its owner', async () => {
    const on = await stage(await make());
    const { context, sessions, userId } = on;
    const { db } = context.database;
    const { id } = await issuePersonalToken(context.database, sessions, { userId, name: 'first', scopes: ['*'] });
    const reveal = (of: string) =>
      db.transaction().execute((tx) => revealPersonalToken(context, tx, { id, userId: of }));
    assert.equal(await reveal('another'), undefined);
    const attempts = await Promise.all(Array.from({ length: 5 }, () => reveal(userId)));
    const [revealed, ...others] = attempts.filter((attempt) => attempt !== undefined);
    assert.deepEqual(others, []);
    const caller = await verify(on, revealed?.accessToken as string);
    assert.deepEqual([caller.kind, caller.userId, caller.clientId], ['user', userId, null]);
    context.advance(context.config.personalTokenTtl * 1000);
    await assert.rejects(verify(on, revealed?.accessToken as string), refusedWith('token_expired'));
  });
});
