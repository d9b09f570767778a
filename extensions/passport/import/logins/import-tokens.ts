import type { Tx } from '../../../../src/database/database.ts';
import { legacyId } from '../../legacy-tokens/legacy-id.ts';
import type { TableCounts } from '../../report/report.ts';
import { select } from '../../source/layout.ts';
import { pages, type SourceRow } from '../../source/source.ts';
import type { ImportedClient } from '../import-clients.ts';
import { batchSize, type Pass } from '../pass.ts';
import { inBatch } from '../users/user-target-store.ts';
import { accessTokenSelection, endOf, isAllowed, readLogin, usersOfTokens } from './login-record.ts';
import { type LiveToken, writeLogins } from './write-logins.ts';

type Clients = ReadonlyMap<string, ImportedClient>;

/** Imports every valid refresh token with its login, even if its access token is no longer valid. */
export async function importRefreshTokens(pass: Pass, clients: Clients): Promise<void> {
  const { source, plan, findings } = pass;
  const table = plan.layout.find('oauth_refresh_tokens');
  const accessTable = plan.layout.find('oauth_access_tokens');
  if (!table || !accessTable)
    return findings.addNote('There is no table oauth_refresh_tokens, so no login can be refreshed');
  const counts = findings.countsOf(table.name);
  const total = await source.count(table.name);
  const from = select(table, 'id', ['access_token_id', 'revoked', 'expires_at']);
  for await (const rows of pages(source, from, batchSize)) {
    const live = rows.filter((row) => isLive(pass, row, counts));
    const ids = live.map(({ access_token_id }) => access_token_id ?? '');
    const accessRows = live.length === 0 ? [] : await source.withKeys(accessTokenSelection(accessTable), ids);
    const accessById = new Map(accessRows.map((row) => [row.id, row]));
    await inBatch(pass.context.database, async (tx, invalidate) => {
      const tokens = await readTokens(pass, tx, { live, accessById, clients, counts });
      await writeLogins(pass, tx, invalidate, tokens, counts);
    });
    pass.progress({ table: table.name, completed: counts.read, total });
  }
}

/** Counts a row, and returns whether its token is valid. */
function isLive(pass: Pass, row: SourceRow<'id'>, counts: TableCounts): boolean {
  counts.read++;
  if (!isAllowed(row)) counts.skip('revoked there');
  else if (endOf(pass, row) > pass.at) return true;
  else counts.skip('expired');
  return false;
}

interface Page {
  readonly live: readonly SourceRow<'id'>[];
  readonly accessById: ReadonlyMap<string, SourceRow<'id'>>;
  readonly clients: Clients;
  readonly counts: TableCounts;
}

async function readTokens(pass: Pass, tx: Tx, { live, accessById, clients, counts }: Page): Promise<LiveToken[]> {
  const userOf = await usersOfTokens(tx, clients, [...accessById.values()]);
  const tokens: LiveToken[] = [];
  for (const row of live) {
    const id = legacyId('refresh', row.id);
    const expiresAt = endOf(pass, row);
    const access = accessById.get(row.access_token_id ?? '');
    if (!access) {
      tokens.push({ id, expiresAt, login: namelessLogin(pass, row.access_token_id ?? '', expiresAt) });
      continue;
    }
    const client = clients.get(access.client_id ?? '');
    if (client?.grants?.includes('refresh_token') === false) {
      counts.skip('its client may not refresh');
      continue;
    }
    const read = readLogin(pass, access, client, userOf(access), { withRefresh: true, expiresAt });
    if ('reason' in read) counts.skip(read.reason);
    else tokens.push({ id, expiresAt, login: read.login });
  }
  return tokens;
}

/**
 * The old service has purged the access token. Only the refresh token names the user and the client. It is read when it
 * is used.
 */
const namelessLogin = ({ at }: Pass, accessTokenId: string, expiresAt: number): LiveToken['login'] => ({
  id: legacyId('access', accessTokenId),
  type: 'session',
  user_id: null,
  client_id: null,
  name: null,
  scopes: '[]',
  created_at: at,
  expires_at: expiresAt,
  revealed_at: null,
});

/** Imports every valid access token: of logins, of clients, and personal ones. */
export async function importAccessTokens(pass: Pass, clients: ReadonlyMap<string, ImportedClient>): Promise<void> {
  const { source, plan, findings, context } = pass;
  const table = plan.layout.require(
    'oauth_access_tokens',
    ['id', 'client_id', 'revoked'],
    'Is this a Passport service?',
  );
  const counts = findings.countsOf(table.name);
  const total = await source.count(table.name);
  for await (const rows of pages(source, accessTokenSelection(table), batchSize)) {
    const live = rows.filter((row) => isLive(pass, row, counts));
    await inBatch(context.database, async (tx, invalidate) => {
      const userOf = await usersOfTokens(tx, clients, live);
      const tokens: LiveToken[] = [];
      for (const row of live) {
        const expiresAt = endOf(pass, row);
        const client = clients.get(row.client_id ?? '');
        const read = readLogin(pass, row, client, userOf(row), { withRefresh: false, expiresAt });
        if ('reason' in read) counts.skip(read.reason);
        else tokens.push({ id: read.login.id, login: read.login, expiresAt });
      }
      await writeLogins(pass, tx, invalidate, tokens, counts);
    });
    pass.progress({ table: table.name, completed: counts.read, total });
  }
}
