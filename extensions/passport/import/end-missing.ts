import { listUnseen, saveLegacyIds } from '../legacy-tokens/legacy-id-store.ts';
import { clientSource, endClient } from './import-clients.ts';
import { endLoginsWithoutTokens, endUnseen, findRefreshedHere } from './logins/login-store.ts';
import { batchSize, type Pass, type UserTable } from './pass.ts';
import { countKnown, countUnseen } from './pass-store.ts';
import { endUser } from './users/known-users.ts';
import { goneFingerprint } from './users/user-record.ts';
import { inBatch } from './users/user-target-store.ts';

/** If more than this share of the users is missing, it is probably another database. */
const maxMissingShare = 0.2;
const smallCount = 20;
const maxListed = 20;

/** False if so many users are missing that the operator must confirm it. */
export async function isSameService(pass: Pass, tables: Iterable<UserTable>): Promise<boolean> {
  if (pass.plan.confirmGone) return true;
  for (const { source, name } of tables) {
    const knownCount = await countKnown(pass.context.database.db, source);
    const unseen = await countUnseen(pass.context.database.db, source, pass.number, goneFingerprint);
    if (unseen <= smallCount || unseen < knownCount * maxMissingShare) continue;
    pass.findings.decide(
      'many-gone',
      `${unseen} of ${knownCount} users of ${name} from an earlier pass no longer exist. Nobody was signed out. If this is the same database, add --confirm-gone`,
    );
    return false;
  }
  return true;
}

/** Ends users and clients that an earlier pass imported and that no longer exist. */
export async function endMissing(pass: Pass, tables: Iterable<UserTable>): Promise<void> {
  const { database } = pass.context;
  for (const { source } of tables) {
    for (;;) {
      const rows = await listUnseen(database.db, source, pass.number, batchSize);
      if (rows.length === 0) break;
      await inBatch(database, async (tx, invalidate) => {
        const seen = [];
        for (const row of rows) seen.push(await endUser(pass, tx, invalidate, row, goneFingerprint));
        await saveLegacyIds(tx, seen);
      });
    }
  }
  for (;;) {
    const rows = await listUnseen(database.db, clientSource, pass.number, batchSize);
    if (rows.length === 0) break;
    await inBatch(database, async (tx, invalidate) => {
      for (const { old_id } of rows) await endClient(pass, tx, invalidate, old_id);
    });
  }
}

/** Ends tokens that an earlier pass imported and that are no longer valid in the old service: revoked, refreshed or purged. */
export async function endUnseenTokens(pass: Pass): Promise<void> {
  const { context, findings, plan } = pass;
  const names = { access: 'oauth_access_tokens', refresh: 'oauth_refresh_tokens' };
  const countsOf = (kind: keyof typeof names) => findings.countsOf(plan.layout.find(names[kind])?.name ?? names[kind]);
  for (;;) {
    const count = await inBatch(context.database, async (tx, invalidate) => {
      const tokens = await endUnseen(tx, pass.number, pass.at, batchSize);
      for (const { id, session_id } of tokens) countsOf(id === session_id ? 'access' : 'refresh').ended++;
      const sessions = [...new Set(tokens.map(({ session_id }) => session_id))];
      await endLoginsWithoutTokens(tx, sessions, pass.at);
      for (const id of sessions) invalidate({ kind: 'session', id });
      return tokens.length;
    });
    if (count === 0) return;
  }
}

/** Tokens that were revoked in the old service, but refreshed here before this pass. Their new tokens stay valid. */
export async function listRefreshedHere({ context, findings }: Pass): Promise<void> {
  const { count, users } = await findRefreshedHere(context.database.db, maxListed);
  if (count === 0) return;
  findings.decide(
    'refreshed-here',
    `${count} logins were revoked there after they were refreshed here: they go on. End them here where that was a logout (users ${users.join(', ')}${count > users.length ? ', …' : ''})`,
  );
}
