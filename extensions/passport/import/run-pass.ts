import { commitAndInvalidate } from '../../../src/database/bus.ts';
import type { Db } from '../../../src/database/database.ts';
import { systemSource } from '../../../src/http/request-source.ts';
import { identityScopes } from '../../../src/oauth/clients/scopes/scopes.ts';
import { OperatorError } from '../../../src/platform/errors.ts';
import { parseJson } from '../../../src/platform/json-text.ts';
import { recordEvent } from '../../../src/resources/audit/record-event.ts';
import { saveLegacyIds } from '../legacy-tokens/legacy-id-store.ts';
import { defaultUsersKey, importSource, scopeSource } from '../legacy-tokens/scope-map.ts';
import type { Report } from '../report/report.ts';
import { type FoundTable, type Layout, select } from '../source/layout.ts';
import { pages } from '../source/source.ts';
import { findScopesOfClients, setClientScopes } from './client-target-store.ts';
import { endMissing, endUnseenTokens, isSameService, listRefreshedHere } from './end-missing.ts';
import { type ImportedClient, importClients } from './import-clients.ts';
import { importAccessTokens, importRefreshTokens } from './logins/import-tokens.ts';
import { batchSize, isTrue, type Pass, type UserTable } from './pass.ts';
import { beginPass, countFactors, finishPass, listReports } from './pass-store.ts';
import { openDeclaredFields } from './users/declared-fields.ts';
import { endUnlinked, importIdentities } from './users/import-identities.ts';
import { importUserTable } from './users/import-users.ts';
import { readRoleNames } from './users/role-names.ts';
import { inBatch } from './users/user-target-store.ts';

/** Data without a counterpart in this service, or that cannot be imported. */
const excludedTables: readonly [table: string, description: string, why: string][] = [
  ['oauth_auth_codes', 'authorization codes', 'people who are signing in start again'],
  ['oauth_device_codes', 'device codes', 'devices that are signing in start again'],
  ['permissions', 'permissions', 'Gatehouse uses roles and scopes instead'],
  ['model_has_permissions', 'permissions of single users', 'Gatehouse uses roles and scopes instead'],
  ['role_has_permissions', 'permissions of roles', 'Gatehouse uses roles and scopes instead'],
  ['role_user', 'roles of users in a table of another package', 'only those of spatie/laravel-permission are read'],
  [
    'assigned_roles',
    'roles of users in a table of another package',
    'only those of spatie/laravel-permission are read',
  ],
  [
    'sessions',
    "sessions of Laravel's own pages",
    'their cookies are encrypted for Laravel: people sign in to the pages again',
  ],
  ['personal_access_tokens', 'tokens of Sanctum', 'they are not of Passport'],
  ['password_resets', 'links to set a new password', 'people request them again'],
  ['password_reset_tokens', 'links to set a new password', 'people request them again'],
];

/** Unused codes that have not expired. */
async function countWaiting({ source, plan, at }: Pass, table: FoundTable): Promise<number> {
  let count = 0;
  for await (const rows of pages(source, select(table, 'id', ['revoked', 'expires_at']), batchSize)) {
    count += rows.filter((row) => !isTrue(row.revoked) && (plan.clock.read(row.expires_at) ?? 0) > at).length;
  }
  return count;
}

async function listNotTaken(pass: Pass): Promise<void> {
  const { plan, source, findings } = pass;
  for (const [name, description, reason] of excludedTables) {
    const table = plan.layout.find(name);
    if (!table || (plan.map.permissions && ['permissions', 'role_has_permissions'].includes(name))) continue;
    const count = name.endsWith('_codes') ? await countWaiting(pass, table) : await source.count(table.name);
    findings.notTaken(`${description} (${table.name})`, count, reason);
  }
  // By default, Laravel stores sessions in files or cookies, which cannot be counted here.
  if (!plan.layout.find('sessions'))
    findings.addNote("Cookies of Laravel's own sessions are not imported: people sign in to the pages again");
}

/**
 * One pass: imports live data of the source, and ends data that is no longer live. Each batch is atomic, so a pass can
 * be repeated.
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
    for (const table of tables) await importUserTable(pass, table, { roles, fields });
  } finally {
    await fields?.close();
  }
  await importIdentities(pass);
  const clients = await importClients(pass);
  await importRefreshTokens(pass, clients);
  await importAccessTokens(pass, clients);
  await decideClientScopes(pass, clients);
  await listNotTaken(pass);
  await endMissingRecords(pass, tables, unreadable);
  await listRefreshedHere(pass);
  if (context.config.mfa === 'off' && (await countFactors(database.db)) > 0) {
    findings.decide(
      'two-factor',
      'MFA is off in Gatehouse: authenticator apps were imported, but nobody is asked for a code',
    );
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

async function endMissingRecords(pass: Pass, tables: readonly UserTable[], unreadable: readonly string[]) {
  if (unreadable.length > 0) {
    pass.findings.decide(
      'missing-table',
      `An earlier pass read ${unreadable.join(', ')}, but this one cannot. Nothing was ended, and nobody lost a role. Grant read access, and run the command again`,
    );
    return;
  }
  if (!(await isSameService(pass, tables))) return;
  await endMissing(pass, tables);
  await endUnlinked(pass);
  await endUnseenTokens(pass);
}

/** Stores the keys for tokens, and the data for logins without a user. Keys that differ from an earlier pass are an error. */
async function keepKeys({ context, legacyKeys, plan, number }: Pass): Promise<void> {
  const storedKeys = await legacyKeys.current();
  if (storedKeys.publicKey && !storedKeys.publicKey.equals(plan.publicKey)) {
    throw new OperatorError(
      'The public key differs from the key of the previous pass: tokens from that pass could no longer be verified. Pass the same oauth-public.key.',
    );
  }
  if (storedKeys.appKey && !storedKeys.appKey.equals(plan.appKey)) {
    throw new OperatorError(
      'APP_KEY differs from the key of the previous pass: refresh tokens from that pass could no longer be decrypted. Pass the .env of the same service.',
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
    const fact = {
      source: importSource,
      old_id: defaultUsersKey,
      new_id: plan.defaultUsers.source,
      fingerprint: '',
      version: 1,
      pass: number,
    };
    await saveLegacyIds(tx, [...scopes, fact]);
    invalidate({ kind: 'keys', id: 'legacy' });
  });
}

/** Tables that an earlier pass read and that are now missing or unreadable. */
async function findUnreadableTables(db: Db, layout: Layout): Promise<string[]> {
  const earlierTables = new Set<string>();
  for (const text of await listReports(db)) {
    for (const { table, read } of parseJson<Report>(text).tables) if (read > 0) earlierTables.add(table);
  }
  return [...earlierTables].filter((table) => !layout.has(table));
}

/**
 * Passport lets each client request any scope. Here --client-scopes and the client's tokens decide. Otherwise the
 * operator must.
 */
async function decideClientScopes(pass: Pass, clients: ReadonlyMap<string, ImportedClient>): Promise<void> {
  const { plan, findings, context } = pass;
  const undecided = [...clients.values()].filter(
    ({ type, issuesPersonalTokens, canAuthenticate }) =>
      type !== 'password' && !issuesPersonalTokens && canAuthenticate,
  );
  for (let i = 0; i < undecided.length; i += batchSize) {
    const ids = undecided.slice(i, i + batchSize).map(({ id }) => id);
    for (const { id, scopes } of await findScopesOfClients(context.database.db, ids)) {
      const configured = plan.clientScopes.get(id) ?? plan.clientScopes.get('*');
      const allScopes = [...new Set([...scopes, ...(configured ?? [])])].sort();
      if (allScopes.length > scopes.length) {
        await inBatch(context.database, async (tx, invalidate) => {
          await setClientScopes(tx, id, allScopes, pass.at);
          invalidate({ kind: 'client', id });
        });
      }
      if (configured === undefined && scopes.every((scope) => identityScopes.includes(scope))) {
        findings.decide(
          'client-scopes',
          'Clients without a live token with scopes cannot request any scope in Gatehouse. Set their scopes with --client-scopes ID=SCOPE,SCOPE (ID * for all of these clients; none for no scope)',
          id,
        );
      }
    }
  }
}
