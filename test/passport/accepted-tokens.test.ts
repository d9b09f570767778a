import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import pino from 'pino';
import { PassportTokens } from '../../extensions/passport/legacy-tokens/passport-tokens.ts';
import { parseConfig } from '../../src/config/config.ts';
import type { Context } from '../../src/database/context.ts';
import { openKeyRing } from '../../src/database/keys/key-ring.ts';
import { migrate } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { createSessions } from '../harness/create-sessions.ts';
import { type OldDatabase, oldDatabases } from './old-database.ts';
import { heldByClients, mappedScopes, runImport, whenLive } from './run-import.ts';

const held = heldByClients('passport10');
const jtiOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString()) as {
    jti: string;
    aud: string;
    sub: string;
  };

/** The possible states of a login in the old service. */
const loginState = fc.record({
  access: fc.constantFrom('live', 'revoked', 'gone', 'null'),
  refresh: fc.constantFrom('live', 'revoked', 'gone', 'null'),
  scopes: fc.constantFrom('[]', '["orders-read"]', 'null', 'broken', '["*"]'),
  expires: fc.constantFrom('kept', 'null', 'zero'),
});
const service = fc.record({
  fates: fc.array(loginState, { minLength: 9, maxLength: 9 }),
  user: fc.constantFrom('there', 'deleted', 'gone'),
  client: fc.constantFrom('there', 'revoked', 'gone'),
  /** Whether the state appears only in the second pass. */
  later: fc.boolean(),
});

describe('An import', () => {
  const make = oldDatabases('sqlite');

  it('accepts exactly the tokens that Passport would accept', async () => {
    const logins = [...held.tokens].filter(([, { refresh_token }]) => refresh_token !== undefined);
    await fc.assert(
      fc.asyncProperty(service, async ({ fates: loginStates, user, client, later }) => {
        const old = await make();
        await withContext(async (context) => {
          // At first, every token is valid.
          await old.run(
            'alter table users add column deleted_at datetime; update oauth_access_tokens set revoked = 0; update oauth_refresh_tokens set revoked = 0',
          );
          if (later) await importOf(context, old);
          await old.run(statements(logins, loginStates, user, client));
          await importOf(context, old);
          const keys = await openKeyRing(context);
          const tokens = new PassportTokens(context);
          const { verifier } = createSessions(context, keys, tokens);
          for (const [i, [situation, { access_token, refresh_token }]] of logins.entries()) {
            const { sub, aud } = jtiOf(access_token);
            const subject = (sub !== '1' || user === 'there') && (aud !== '2' || client === 'there');
            const { access, refresh } = loginStates[i] as (typeof loginStates)[number];
            const label = `${situation} ${JSON.stringify({ access, refresh, user, client, later })}`;
            assert.equal((await verifier.findToken(access_token)) !== undefined, subject && access === 'live', label);
            assert.equal(
              (await verifier.findToken(refresh_token as string)) !== undefined,
              subject && refresh === 'live',
              label,
            );
          }
          await tokens.close();
        });
      }),
      { numRuns: 12, examples: [] },
    );
  });
});

function statements(
  logins: readonly [string, { access_token: string }][],
  loginStates: readonly { access: string; refresh: string; scopes: string; expires: string }[],
  user: string,
  client: string,
): string {
  const lines: string[] = [];
  for (const [i, [, { access_token }]] of logins.entries()) {
    const { access, refresh, scopes, expires } = loginStates[i] as (typeof loginStates)[number];
    const { jti } = jtiOf(access_token);
    const at = (table: string, where: string, state: string) => {
      if (state === 'gone') lines.push(`delete from ${table} where ${where}`);
      else if (state === 'revoked') lines.push(`update ${table} set revoked = 1 where ${where}`);
    };
    const value = scopes === 'null' ? 'null' : `'${scopes}'`;
    lines.push(`update oauth_access_tokens set scopes = ${value} where id = '${jti}'`);
    if (expires !== 'kept') {
      const end = expires === 'null' ? 'null' : "'0000-00-00 00:00:00'";
      lines.push(`update oauth_access_tokens set expires_at = ${end} where id = '${jti}'`);
      lines.push(`update oauth_refresh_tokens set expires_at = ${end} where access_token_id = '${jti}'`);
    }
    at('oauth_access_tokens', `id = '${jti}'`, access === 'null' ? 'gone' : access);
    at('oauth_refresh_tokens', `access_token_id = '${jti}'`, refresh === 'null' ? 'gone' : refresh);
  }
  if (user === 'deleted') lines.push("update users set deleted_at = '2026-11-15 13:00:00' where id = 1");
  if (user === 'gone') lines.push('delete from users where id = 1');
  if (client === 'revoked') lines.push('update oauth_clients set revoked = 1 where id = 2');
  if (client === 'gone') lines.push('delete from oauth_clients where id = 2');
  return lines.join(';');
}

async function withContext(work: (context: Context) => Promise<void>): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-property-'));
  const config = parseConfig({}, { DATABASE_URL: `sqlite:${join(dir, 'own.db')}`, DATA_DIR: dir }, dir);
  const database = await openDatabase(config);
  const context = { config, database, log: pino({ level: 'silent' }), metrics: createMetrics(), now: () => whenLive };
  try {
    await migrate(database, context.now);
    await work(context as Context);
  } finally {
    await database.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

const importOf = (context: Context, old: OldDatabase) => runImport({ context }, old, { scopes: mappedScopes });
