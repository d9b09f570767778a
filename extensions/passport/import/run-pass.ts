import { commitAndInvalidate } from '../../../src/database/bus.ts';
import { systemSource } from '../../../src/http/request-source.ts';
import { OperatorError } from '../../../src/platform/errors.ts';
import { recordEvent } from '../../../src/resources/audit/record-event.ts';
import { saveLegacyIds } from '../legacy-tokens/legacy-id-store.ts';
import { defaultUsersKey, scopeSource, takeoverSource } from '../legacy-tokens/scope-map.ts';
import type { Report } from '../report/report.ts';
import { endGone, endUnseenTokens, isSameService, listRefreshedHere } from './end-gone.ts';
import { listNotTaken } from './list-not-taken.ts';
import { takeAccessTokens } from './logins/take-access-tokens.ts';
import { takeRefreshTokens } from './logins/take-refresh-tokens.ts';
import type { Pass, UserTable } from './pass.ts';
import { beginPass, countFactors, finishPass } from './pass-store.ts';
import { settleClientScopes } from './settle-client-scopes.ts';
import { takeClients } from './take-clients.ts';
import { findUnreadableTables } from './unreadable-tables.ts';
import { openDeclaredFields } from './users/declared-fields.ts';
import { readRoleNames } from './users/role-names.ts';
import { takeIdentities } from './users/take-identities.ts';
import { takeUsers } from './users/take-users.ts';

/**
 * One pass: everything that counts there counts here, and what an earlier pass took and counts there no more has ended.
 * Each batch is whole by itself, so a pass that breaks off is simply run again.
 */
export async function runPass(draft: Omit<Pass, 'number' | 'isComplete'>): Promise<Report> {
  const { context, plan, findings } = draft;
  const { database, now } = context;
  const unreadable = await findUnreadableTables(database.db, plan.layout);
  const number = await beginPass(database.db, now());
  const pass: Pass = { ...draft, number, isComplete: unreadable.length === 0 };
  await keepKeys(pass);
  const tables = new Map([...plan.userTables.values()].map((table) => [table.name, table])).values().toArray();
  const roles = await readRoleNames(pass);
  const fields = await openDeclaredFields(pass);
  try {
    for (const table of tables) await takeUsers(pass, table, { roles, fields });
  } finally {
    await fields?.close();
  }
  await takeIdentities(pass);
  const clients = await takeClients(pass);
  await takeRefreshTokens(pass, clients);
  await takeAccessTokens(pass, clients);
  await settleClientScopes(pass, clients);
  await listNotTaken(pass);
  await endWhatEnded(pass, tables, unreadable);
  await listRefreshedHere(pass);
  if (context.config.mfa === 'off' && (await countFactors(database.db)) > 0) {
    findings.decide('two-factor', 'MFA is off here: authenticator apps were imported, and nobody is asked for a code');
  }
  const report = findings.report(number, plan);
  await finishPass(database.db, number, now(), JSON.stringify(report));
  await commitAndInvalidate(database, async (tx, invalidate) => {
    const data = { pass: number, decisions: report.decisions.length };
    await recordEvent(context, tx, { type: 'service.imported', source: systemSource, data });
    invalidate({ kind: 'everything', id: '' });
  });
  return report;
}

async function endWhatEnded(pass: Pass, tables: readonly UserTable[], unreadable: readonly string[]): Promise<void> {
  if (unreadable.length > 0) {
    pass.findings.decide(
      'missing-table',
      `An earlier pass read ${unreadable.join(', ')}, and this one cannot: nothing was ended, and nobody lost a role. Give the reader access, and run again`,
    );
    return;
  }
  if (!(await isSameService(pass, tables))) return;
  await endGone(pass, tables);
  await endUnseenTokens(pass);
}

/** The keys for the tokens, and the data for logins without a name. Keys that differ from those of an earlier pass are an error. */
async function keepKeys({ context, legacyKeys, plan, number }: Pass): Promise<void> {
  const known = await legacyKeys.current();
  if (known.publicKey && !known.publicKey.equals(plan.publicKey)) {
    throw new OperatorError(
      'The public key is another one than at the pass before: tokens that came over then would not be verified any more. Give the same oauth-public.key.',
    );
  }
  if (known.appKey && !known.appKey.equals(plan.appKey)) {
    throw new OperatorError(
      'APP_KEY is another one than at the pass before: refresh tokens that came over then could not be opened any more. Give the .env of the same service.',
    );
  }
  await commitAndInvalidate(context.database, async (tx, invalidate) => {
    await legacyKeys.store(tx, 'public', Buffer.from(plan.publicKey.export({ type: 'spki', format: 'pem' })));
    await legacyKeys.store(tx, 'app', plan.appKey);
    await legacyKeys.store(tx, 'ids', Buffer.from(JSON.stringify(plan.hashedIds)));
    const scopes = [...plan.scopes].map(([old_id, names]) => ({
      source: scopeSource,
      old_id,
      new_id: JSON.stringify(names),
      fingerprint: '',
      version: 1,
      pass: number,
    }));
    const users = plan.userTables.get('')?.source as string;
    const fact = {
      source: takeoverSource,
      old_id: defaultUsersKey,
      new_id: users,
      fingerprint: '',
      version: 1,
      pass: number,
    };
    await saveLegacyIds(tx, [...scopes, fact]);
    invalidate({ kind: 'keys', id: 'legacy' });
  });
}
