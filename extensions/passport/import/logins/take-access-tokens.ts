import { pages, type SourceRow } from '../../source/source.ts';
import { batchSize, type Pass } from '../pass.ts';
import type { TakenClient } from '../take-clients.ts';
import { inBatch } from '../users/user-target-store.ts';
import { accessTokenSelection, endOf, isAllowed, readLogin, usersOfTokens } from './login-record.ts';
import { type LiveToken, writeLogins } from './write-logins.ts';

/** Every access token that still works: of logins, of clients, and the personal ones. */
export async function takeAccessTokens(pass: Pass, clients: ReadonlyMap<string, TakenClient>): Promise<void> {
  const { source, plan, findings, at, context } = pass;
  const table = plan.layout.require(
    'oauth_access_tokens',
    ['id', 'client_id', 'revoked'],
    'Is this a Passport service?',
  );
  const tally = findings.of(table.name);
  const total = await source.count(table.name);
  for await (const rows of pages(source, accessTokenSelection(table), batchSize)) {
    const live: SourceRow[] = [];
    for (const row of rows) {
      tally.read++;
      if (!isAllowed(row)) tally.leave('revoked there');
      else if (endOf(pass, row) <= at) tally.leave('expired');
      else live.push(row);
    }
    await inBatch(context.database, async (tx, invalidate) => {
      const userOf = await usersOfTokens(tx, clients, live);
      const tokens: LiveToken[] = [];
      for (const row of live) {
        const expiresAt = endOf(pass, row);
        const client = clients.get(row.client_id ?? '');
        const read = readLogin(pass, row, client, userOf(row), { withRefresh: false, expiresAt });
        if ('reason' in read) tally.leave(read.reason);
        else tokens.push({ id: read.login.id, login: read.login, expiresAt });
      }
      await writeLogins(pass, tx, invalidate, tokens, tally);
    });
    pass.progress({ table: table.name, done: tally.read, total });
  }
}
