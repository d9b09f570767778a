import type { Tx } from '../../../../src/database/database.ts';
import { legacyId } from '../../legacy-tokens/legacy-id.ts';
import { findLegacyIds, type LegacyIdRow } from '../../legacy-tokens/legacy-id-store.ts';
import { mapScopes, withOfflineAccess } from '../../legacy-tokens/scope-map.ts';
import type { FoundTable } from '../../source/layout.ts';
import { select } from '../../source/layout.ts';
import type { SourceRow } from '../../source/source.ts';
import { listIn } from '../client-record.ts';
import type { ImportedClient } from '../import-clients.ts';
import { isTrue, legacyUserKey, type Pass } from '../pass.ts';
import { wasDeleted } from '../users/user-record.ts';
import { findLivingUsers, type ImportedLogin } from './login-store.ts';

/** Passport's longest lifetime, for tokens whose row has no expiry. The tokens themselves contain their expiry. */
const unknownLife = 366 * 86_400_000;

export const accessTokenSelection = (table: FoundTable) =>
  select(table, 'id', ['user_id', 'client_id', 'name', 'scopes', 'revoked', 'created_at', 'expires_at']);

/** Whether the row is not revoked. Null counts as revoked: Passport 13 would not find the token. */
export const isAllowed = (row: SourceRow): boolean =>
  row.revoked !== null && row.revoked !== undefined && !isTrue(row.revoked);

export function endOf({ plan, findings, at }: Pass, row: SourceRow): number {
  const end = plan.clock.read(row.expires_at);
  if (end !== null) return end;
  findings.addNote('Tokens whose row has no expiry: they end at the expiry in the token');
  return at + unknownLife;
}

/** Why a user who was not deleted in the old service is signed out. */
export const lockedHere = 'their account is locked (--disable-where), or disabled or deleted here';

interface TokenUser {
  readonly id: string;
  readonly isEnabled: boolean;
  /** Deleted in the old service, where the tokens of this user no longer work. */
  readonly wasDeletedThere: boolean;
}

/** The users of these tokens. Undefined if a user was never imported. */
export async function usersOfTokens(
  tx: Tx,
  clients: ReadonlyMap<string, ImportedClient>,
  rows: readonly SourceRow[],
): Promise<(row: SourceRow) => TokenUser | undefined> {
  const byTable = new Map<string, Set<string>>();
  for (const { client_id, user_id } of rows) {
    const table = clients.get(client_id ?? '')?.table;
    if (table === undefined || !user_id) continue;
    byTable.set(table, (byTable.get(table) ?? new Set()).add(user_id));
  }
  const users = new Map<string, LegacyIdRow>();
  for (const [table, ids] of byTable) {
    for (const [oldId, user] of await findLegacyIds(tx, table, [...ids])) users.set(`${table} ${oldId}`, user);
  }
  const ids = [...users.values()].map(({ new_id }) => new_id);
  const living = await findLivingUsers(tx, ids);
  return ({ client_id, user_id }) => {
    const user = users.get(`${clients.get(client_id ?? '')?.table} ${user_id}`);
    if (!user) return undefined;
    const { new_id: id, fingerprint } = user;
    return { id, isEnabled: living.has(id), wasDeletedThere: wasDeleted(fingerprint) };
  };
}

/** The session for an access token, or the reason why there is none. Passport rejected such a token too. */
export function readLogin(
  pass: Pass,
  row: SourceRow<'id'>,
  client: ImportedClient | undefined,
  user: TokenUser | undefined,
  { withRefresh, expiresAt }: { withRefresh: boolean; expiresAt: number },
): { login: ImportedLogin } | { reason: string } {
  if (!client) return { reason: 'its client is revoked, deleted or not imported' };
  const hasUser = row.user_id !== null && row.user_id !== undefined && row.user_id !== '';
  if (hasUser && !user?.isEnabled) {
    // A login whose access token is still valid is counted with that token.
    const isCountedElsewhere =
      withRefresh && isAllowed(row) && (pass.plan.clock.read(row.expires_at) ?? pass.at + 1) > pass.at;
    if (user && !user.wasDeletedThere && !isCountedElsewhere) {
      pass.findings.signedOut(lockedHere, legacyUserKey(client.table, row.user_id ?? ''));
    }
    return { reason: 'its user is deleted, locked or disabled' };
  }
  const isPersonal = client.issuesPersonalTokens && hasUser && !withRefresh;
  const createdAt = Math.min(pass.plan.clock.read(row.created_at) ?? pass.at, pass.at);
  return {
    login: {
      id: legacyId('access', row.id),
      type: isPersonal ? 'personal' : 'session',
      user_id: user?.id ?? null,
      client_id: client.id,
      name: row.name ?? (isPersonal ? 'Personal access token' : null),
      scopes: JSON.stringify(scopesOf(pass, row, client, hasUser)),
      created_at: createdAt,
      expires_at: expiresAt,
      // The owner already has the value, so it cannot be revealed again.
      revealed_at: isPersonal ? createdAt : null,
    },
  };
}

function scopesOf({ plan, findings }: Pass, row: SourceRow<'id'>, client: ImportedClient, hasUser: boolean): string[] {
  const scopes = listIn(row.scopes);
  const isFirstParty = client.type === 'password';
  if (!scopes) {
    findings.decide(
      'unreadable-scopes',
      'Tokens whose scopes cannot be read: they were imported without scopes',
      row.id.slice(0, 12),
    );
    return [];
  }
  // A token that a client got for itself without scopes has the client's scopes.
  const ofClient = hasUser || scopes.length > 0 ? undefined : plan.clientScopes.get(client.id);
  if (ofClient) return [...ofClient];
  if (scopes.length === 0 && !(isFirstParty && hasUser) && !plan.scopes.has('')) {
    findings.decide(
      'empty-scopes',
      'Tokens without scopes: in the old service they may do everything that their user may, in Gatehouse nothing. Map them with --scopes: {"": "*"} allows everything that the user may do (recommended); {"": []} allows nothing',
      `${hasUser ? `user ${row.user_id}` : 'no user'}, client ${client.id}`,
    );
  }
  const mapped = mapScopes(plan.scopes, scopes, { isFirstParty, hasUser });
  for (const scope of mapped.unmapped) {
    findings.decide(
      'scope-names',
      `The scope "${scope}" does not exist in Gatehouse: map it with --scopes (an empty list drops it)`,
    );
  }
  return withOfflineAccess(client.type, mapped.scopes, hasUser);
}
