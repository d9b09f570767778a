import type { Config } from '../../src/config/config.ts';
import type { Context } from '../../src/database/context.ts';
import type { Database, Db } from '../../src/database/database.ts';
import { listKeys } from '../../src/database/keys/key-ring.ts';
import { countUnreadable } from '../../src/database/keys/reseal.ts';
import { sealedColumns } from '../../src/database/keys/sealed-columns.ts';
import { createSealing } from '../../src/database/keys/sealing.ts';
import { pendingMigrations } from '../../src/database/migrate.ts';
import { hasAdministrator } from '../../src/identity/accounts/user-store.ts';
import { checkExtensionRows } from '../../src/main/check-extensions.ts';
import { errorFinding, type Finding, notice, ok } from '../../src/main/finding.ts';
import { listClients } from '../../src/oauth/clients/client-store.ts';
import { everyScope } from '../../src/oauth/clients/scopes/scopes.ts';
import { parseJson } from '../../src/platform/json-text.ts';
import { countUnprotectedAdministrators, databaseClock } from './doctor-store.ts';

async function checkFactors({ mfa }: Config, db: Db): Promise<Finding> {
  const count = await countUnprotectedAdministrators(db);
  if (count === 0) return ok('second factors', 'every administrator has one');
  return notice(
    'second factors',
    '{count, plural, one {# administrator has} other {# administrators have}} no second factor',
    mfa === 'optional' || mfa === 'off'
      ? 'Set MFA=admins: then administrators set one up when they next sign in.'
      : 'They are asked to set one up when they next sign in.',
    { count },
  );
}

const tolerance = 5000;
const machineClock = Date.now;
const oldKey = 365 * 86_400_000;

const showTime = (ms: number): string => new Date(ms).toISOString();

type DatabaseToCheck = Pick<Context, 'config' | 'now'> & { readonly database: Pick<Database, 'engine' | 'db'> };

/**
 * Checks the database, its contents, and its clock against this machine's. Changes nothing. `decryptsValues`: whether to decrypt every
 * encrypted value, which takes too long in a running service.
 */
export async function checkDatabase(target: DatabaseToCheck, { decryptsValues = false } = {}): Promise<Finding[]> {
  const { database } = target;
  const pending = await pendingMigrations(database);
  const findings = [ok('database', `${database.engine} answers`)];
  if (pending.length > 0) {
    return [
      ...findings,
      notice(
        'migrations',
        'not applied yet: {names}',
        'They run at the next start, or now with: npx gatehouse-server migrate',
        {
          names: pending.join(', '),
        },
      ),
    ];
  }
  findings.push(ok('migrations', 'up to date'));
  findings.push(await checkClock(target), await checkKeys(target));
  if (decryptsValues) findings.push(...(await checkEncryptedValues(target)));
  findings.push(
    (await hasAdministrator(database.db))
      ? ok('administrator', 'there is one')
      : notice('administrator', 'nobody has the role admin', 'npx gatehouse-server user role EMAIL admin'),
  );
  findings.push(await checkFactors(target.config, database.db));
  findings.push(...(await checkApplications(database.db)), ...(await checkExtensionRows(database.db)));
  return findings;
}

async function checkClock({ database, now }: DatabaseToCheck): Promise<Finding> {
  const { clock, newestEvent } = await databaseClock(database);
  const apart = clock === undefined ? 0 : Math.abs(clock - machineClock());
  const fix = 'Synchronize both machines with a time server (systemd-timesyncd, chrony).';
  // The database's clock decides about sessions, so a difference signs nobody out. Logs and certificates use the machine's clock.
  if (apart > tolerance) {
    return notice('clock', 'this machine and the database are {seconds} s apart', fix, { seconds: apart / 1000 });
  }
  if (newestEvent > (clock ?? now()) + tolerance) {
    return errorFinding('clock', 'the newest event is dated {at}, which is in the future on this machine', fix, {
      at: showTime(newestEvent),
    });
  }
  return ok('clock', showTime(now()));
}

async function checkKeys({ config, database, now }: DatabaseToCheck): Promise<Finding> {
  const keys = await listKeys({ config, now }, database.db);
  const signing = keys.find(({ state, signs }) => state === 'signing' && signs === 'access_token');
  if (!signing)
    return errorFinding('keys', 'there is no signing key', 'npx gatehouse-server keys rotate --compromised');
  if (signing.algorithm !== config.signingAlgorithm) {
    const values = { is: signing.algorithm, wanted: config.signingAlgorithm };
    return notice(
      'keys',
      'the key signs with {is}, SIGNING_ALGORITHM is {wanted}',
      'npx gatehouse-server keys rotate',
      values,
    );
  }
  if (now() - signing.createdAt > oldKey) {
    const at = showTime(signing.createdAt);
    return notice('keys', 'the signing key dates from {at}', 'npx gatehouse-server keys rotate', { at });
  }
  return ok('keys', `${keys.length} open, ${signing.algorithm} signs`);
}

const useEarlierKey =
  'Set PREVIOUS_ENCRYPTION_KEY to the earlier ENCRYPTION_KEY and restart. If that key is lost, see docs/keys.md.';

/** The texts are in English only, because the console does not show them. */
async function checkEncryptedValues({ config, database }: DatabaseToCheck): Promise<Finding[]> {
  const sealing = createSealing(config, { createIfMissing: false });
  const findings: Finding[] = [];
  for (const sealed of sealedColumns) {
    const count = await countUnreadable(database.db, sealing, sealed);
    if (count === 0) continue;
    findings.push({
      part: 'encryption',
      state: 'notice',
      summary: `values in ${sealed.table}.${sealed.column} that cannot be decrypted: ${count}`,
      fix: useEarlierKey,
    });
  }
  return findings.length > 0 ? findings : [ok('encryption', 'all encrypted values can be decrypted')];
}

const shown = 10;

async function checkApplications(db: Db): Promise<Finding[]> {
  const applications = (await listClients(db)).filter(({ type }) => type === 'application');
  const trusted = applications.filter((client) => client.trusted === 1);
  const report = (isRisky: (client: (typeof trusted)[number]) => boolean, summary: string, fix: string) => {
    const ids = trusted.filter(isRisky).map(({ id }) => id);
    const names = ids.slice(0, shown).join(', ') + (ids.length > shown ? ', …' : '');
    return ids.length === 0 ? [] : [notice('applications', summary, fix, { names })];
  };
  const findings = [
    // RFC 8252 8.6: every program on the device can use the id of a public application.
    ...report(
      (client) => client.public === 1,
      'public and trusted: any program can impersonate these applications without asking people for consent: {names}',
      'Set trusted to false, so that people are asked for consent, or let a server of the application keep a secret.',
    ),
    ...report(
      ({ scopes }) => parseJson(scopes).includes(everyScope),
      'trusted and registered for everything (*): {names}',
      'Name the scopes that they need.',
    ),
  ];
  return findings.length > 0 ? findings : [ok('applications', `${applications.length}, ${trusted.length} trusted`)];
}
