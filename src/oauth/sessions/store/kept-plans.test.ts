import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { contexts } from '../../../../test/harness/contexts.ts';
import { openSessions } from '../../../../test/harness/session-instances.ts';
import { openSession, refreshSession } from '../../../../test/harness/sessions.ts';
import { systemSource as source } from '../../../http/request-source.ts';
import type { TokenSession } from './session-store.ts';

describe('Statements that all sessions share on PostgreSQL', () => {
  const make = contexts('postgres');

  it('are planned once, not once per session', async () => {
    const real = await openSessions(make, 'postgres', {});
    const { context, sessions } = real.any();
    const { userId, clientId } = real;
    // In a small table, all plans are the same.
    const { db } = context.database;
    await sql`insert into sessions (id, type, user_id, scopes, created_at, expires_at)
      select 'other' || n, 'session', ${userId}, '[]', 1, 1 from generate_series(1, 5000) as n`.execute(db);
    await sql`analyze sessions`.execute(db);
    let row: TokenSession = await openSession({ context, sessions }, { userId, clientId, scopes: ['*'], source });
    for (let i = 0; i < 30; i++) {
      const refreshToken = sessions.makeRefreshToken(row);
      row = (await refreshSession(sessions, { refreshToken, clientId, source })).session;
    }
    // One query per connection: they run concurrently.
    const kept = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        context.database.read<{ generic: number; custom: number }>(
          `select generic_plans as generic, custom_plans as custom, pg_sleep(0.01)::text, ${n} as asked from pg_prepared_statements
            where statement like 'with %update sessions as t set generation%'`,
          [],
        ),
      ),
    );
    const plans = kept.flat();
    assert.ok(plans.length > 0);
    // PostgreSQL makes up to five custom plans before it decides.
    for (const { custom } of plans) assert.ok(custom <= 5, `${custom} plans`);
    assert.ok(plans.some(({ generic }) => generic > 0));
  });
});
