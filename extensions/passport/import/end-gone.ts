import { listUnseen, saveLegacyIds } from '../legacy-tokens/legacy-id-store.ts';
import { endTokenless, endUnseen, findRefreshedHere } from './logins/login-store.ts';
import { batchSize, type Pass, type UserTable } from './pass.ts';
import { countKnown, countUnseen } from './pass-store.ts';
import { clientSource, endClient } from './take-clients.ts';
import { endUser } from './users/known-users.ts';
import { inBatch } from './users/user-target-store.ts';

const gone = 'gone';
/** More than this share of the users gone at once is rather another database than people who left. */
const suspicious = 0.2;
const fewAnyway = 20;
const mostListed = 20;

/** False where so many are gone that the operator has to say that it is so. */
export async function isSameService(pass: Pass, tables: Iterable<UserTable>): Promise<boolean> {
  if (pass.plan.confirmGone) return true;
  for (const { source, name } of tables) {
    const known = await countKnown(pass.context.database.db, source);
    const unseen = await countUnseen(pass.context.database.db, source, pass.number, gone);
    if (unseen <= fewAnyway || unseen < known * suspicious) continue;
    pass.findings.decide(
      'many-gone',
      `${unseen} of ${known} users of ${name} from an earlier pass no longer exist. Nobody was signed out. If this is the same database, add --confirm-gone`,
    );
    return false;
  }
  return true;
}

/** Users and clients that an earlier pass took and that are not there any more. */
export async function endGone(pass: Pass, tables: Iterable<UserTable>): Promise<void> {
  const { database } = pass.context;
  for (const { source } of tables) {
    for (;;) {
      const rows = await listUnseen(database.db, source, pass.number, batchSize);
      if (rows.length === 0) break;
      await inBatch(database, async (tx, invalidate) => {
        const seen = [];
        for (const row of rows) seen.push(await endUser(pass, tx, invalidate, row, gone));
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

/** Tokens that an earlier pass took and that do not count there any more: revoked, refreshed, or cleared away. */
export async function endUnseenTokens(pass: Pass): Promise<void> {
  const { context, findings, plan } = pass;
  const names = { access: 'oauth_access_tokens', refresh: 'oauth_refresh_tokens' };
  const tallyOf = (kind: keyof typeof names) => findings.of(plan.layout.find(names[kind])?.name ?? names[kind]);
  for (;;) {
    const count = await inBatch(context.database, async (tx, invalidate) => {
      const tokens = await endUnseen(tx, pass.number, pass.at, batchSize);
      for (const { id, session_id } of tokens) tallyOf(id === session_id ? 'access' : 'refresh').ended++;
      const sessions = [...new Set(tokens.map(({ session_id }) => session_id))];
      await endTokenless(tx, sessions, pass.at);
      for (const id of sessions) invalidate({ kind: 'session', id });
      return tokens.length;
    });
    if (count === 0) return;
  }
}

/** Revoked there, and refreshed here before this pass: here they are other tokens, and go on. */
export async function listRefreshedHere({ context, findings }: Pass): Promise<void> {
  const { count, users } = await findRefreshedHere(context.database.db, mostListed);
  if (count === 0) return;
  findings.decide(
    'refreshed-here',
    `${count} logins were revoked there after they were refreshed here: they go on. End them here where that was a logout (users ${users.join(', ')}${count > users.length ? ', …' : ''})`,
  );
}
