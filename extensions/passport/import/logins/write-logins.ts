import type { Invalidate } from '../../../../src/database/bus.ts';
import type { Tx } from '../../../../src/database/database.ts';
import { findClient } from '../../../../src/oauth/clients/client-store.ts';
import { parseJson } from '../../../../src/platform/json-text.ts';
import type { TableCounts } from '../../report/report.ts';
import { setClientScopes } from '../client-target-store.ts';
import type { Pass } from '../pass.ts';
import {
  findKnownLogins,
  type ImportedLogin,
  insertLogins,
  restoreLogin,
  saveTokens,
  updateLogin,
} from './login-store.ts';

/** A valid token with its login. */
export interface LiveToken {
  readonly id: string;
  readonly login: ImportedLogin;
  readonly expiresAt: number;
}

/** Writes a page of logins. A login that an earlier pass created is never created again: if it is missing, it has ended here. */
export async function writeLogins(
  pass: Pass,
  tx: Tx,
  invalidate: Invalidate,
  tokens: readonly LiveToken[],
  counts: TableCounts,
): Promise<void> {
  if (tokens.length === 0) return;
  const knownLogins = await findKnownLogins(
    tx,
    tokens.map(({ login }) => login.id),
  );
  const knownTokens = new Map(knownLogins.map(({ id, ended_at }) => [id, ended_at]));
  const sessions = new Map(knownLogins.map((row) => [row.session_id, row]));
  const lost = restorable(knownLogins);
  const newLogins = new Map<string, ImportedLogin>();
  const changed: ImportedLogin[] = [];
  const rows = new Map<string, { id: string; session_id: string; expires_at: number; pass: number; ended_at: null }>();
  for (const { id, login, expiresAt } of tokens) {
    const endedAt = knownTokens.get(id);
    if (endedAt === undefined) counts.taken++;
    else if (endedAt === null) counts.unchanged++;
    else counts.updated++;
    const before = sessions.get(login.id);
    if (!before || (lost.has(login.id) && before.generation === null)) {
      newLogins.set(login.id, newLogins.get(login.id) ?? login);
    } else if (before.generation === 0) {
      if (lost.has(login.id)) {
        await restoreLogin(tx, login.id);
        invalidate({ kind: 'session', id: login.id });
      }
      const ends = Math.max(Number(before.session_expires_at), expiresAt);
      // A login without a client gets its scopes when its refresh token is used.
      const scopes = login.client_id ? login.scopes : before.scopes;
      const isNamed = !login.client_id || before.client_id === login.client_id;
      if (ends !== Number(before.session_expires_at) || scopes !== before.scopes || !isNamed) {
        await updateLogin(tx, login, { expires_at: ends, scopes: scopes ?? '[]' });
        invalidate({ kind: 'session', id: login.id });
        changed.push(login);
      }
    }
    rows.set(id, { id, session_id: login.id, expires_at: expiresAt, pass: pass.number, ended_at: null });
  }
  await allowScopes(pass, tx, invalidate, [...newLogins.values(), ...changed]);
  await insertLogins(tx, [...newLogins.values()]);
  await saveTokens(tx, [...rows.values()]);
}

/** Logins that only the import ended, and that are valid again in the old service. */
function restorable(knownLogins: Awaited<ReturnType<typeof findKnownLogins>>): ReadonlySet<string> {
  const ended = knownLogins.filter(({ ended_at }) => Number(ended_at ?? 0) > 0).map(({ session_id }) => session_id);
  const live = knownLogins.filter(({ ended_at }) => Number(ended_at ?? 0) <= 0).map(({ session_id }) => session_id);
  return new Set(ended).difference(new Set(live));
}

/** Adds the scopes of imported tokens to their client, because a token never has more scopes than its client. */
async function allowScopes(pass: Pass, tx: Tx, invalidate: Invalidate, logins: readonly ImportedLogin[]) {
  const scopesByClient = new Map<string, Set<string>>();
  for (const { client_id, scopes } of logins) {
    if (!client_id) continue;
    const ofClient = scopesByClient.get(client_id) ?? new Set();
    for (const scope of parseJson(scopes)) ofClient.add(scope);
    scopesByClient.set(client_id, ofClient);
  }
  for (const [id, scopes] of scopesByClient) {
    if (scopes.size === 0) continue;
    const client = await findClient(tx, id, { ofDisabledOwners: true });
    if (!client || client.scopes.includes('*') || [...scopes].every((scope) => client.scopes.includes(scope))) continue;
    await setClientScopes(tx, id, [...new Set([...client.scopes, ...scopes])].sort(), pass.at);
    invalidate({ kind: 'client', id });
  }
}
