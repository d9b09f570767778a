import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { knownMigrations } from '../src/database/migrate.ts';
import { mayImport, rooms } from './layers.ts';
import { unusedExports } from './unused-exports.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const skipped = ['**/node_modules/**'];

/**
 * Transactions of their own, which hold nobody's authority, and why: everything that a caller asks for is written by
 * `changeAs`, in a transaction that holds the caller's session, user and client.
 */
const ownTransactions = new Map([
  ['database/bus.ts', 'commitAndInvalidate itself'],
  ['database/change-as.ts', 'changeAs itself'],
  ['database/migration-lock.ts', 'the service'],
  ['resources/migrations/conversions.ts', 'the service'],
  ['resources/migrations/mend-rows.ts', 'the operator'],
  ['database/postgres/replicas/replicas.ts', 'nobody: it tells that somebody wrote'],
  ['clients/proxied-clients.ts', 'the service'],
  ['clients/cli-client.ts', 'the service'],
  ['mail/take-over-mails.ts', 'the service'],
  ['jobs/serve-jobs.ts', 'the service, for a job of the operator'],

  ['users/roles/role-store.ts', 'the service'],
  ['users/registration/make-user.ts', 'a stranger who registers, or the operator'],
  ['users/email/confirm-email.ts', 'by a mailed link, used up in the transaction'],
  ['users/email/undo-email-change.ts', 'by a mailed link, used up in the transaction'],
  ['users/credentials/reset-password.ts', 'by a mailed link, used up in the transaction'],
  ['oauth/grants/password.ts', 'by a password and a client, both held in the transaction'],
  ['oauth/registration/client-documents.ts', 'the service, by what an application says of itself'],
  ['oauth/registration/manage-client.ts', 'by the token of a registration, held in the transaction'],
  ['oauth/registration/prune-clients.ts', 'the service'],
  ['oauth/grants/device-code.ts', 'by a device code and a client, both held in the transaction'],
  ['oauth/authorize/redeem-code.ts', 'by a code and a client, both held in the transaction'],
  ['oauth/revoke.ts', 'by a client, held in the transaction'],
  ['oauth/openid/logout-request.ts', 'by an ID token, which this service has signed'],
  ['oauth/rotate-keys.ts', 'the operator'],
  ['oauth/end-all-sessions.ts', 'the operator'],
  ['database/copy/look-at-target.ts', 'the operator who moves the service'],
  ['database/copy/postgres-tables.ts', 'the operator who moves the service'],
  ['sessions/refresh/rotate.ts', 'the service, which found a theft'],
  ['sessions/refresh/record-retry.ts', 'the service, which notes a retry'],
  ['takeover/legacy-tokens/forget-legacy-tokens.ts', 'the service'],
  ['takeover/import/pass-store.ts', 'the operator'],
  ['takeover/import/run-pass.ts', 'the operator'],
  ['takeover/import/user-target-store.ts', 'the operator'],
  ['clients/foreign-secrets.ts', 'by a client, held in the transaction'],
  ['cli/commands/clients/client-create.ts', 'the operator'],
  ['cli/commands/clients/client-secret.ts', 'the operator'],
  ['users/roles/change-roles.ts', 'the operator'],
]);

/** The folder that writes a table. Others read it, or ask that folder. */
const tableOwners = new Map([
  ...(
    ['users', 'roles', 'email_changes', 'one_time_tokens', 'known_devices', 'user_time_zones', 'throttles'] as const
  ).map((table) => [table, 'users'] as const),
  ...(['clients', 'client_secrets'] as const).map((table) => [table, 'clients'] as const),
  ...(['sessions', 'application_logins'] as const).map((table) => [table, 'sessions'] as const),
  ...(['device_authorizations', 'client_registrations'] as const).map((table) => [table, 'oauth'] as const),
  ...(['events', 'known_settings'] as const).map((table) => [table, 'events'] as const),
  ...(['consents', 'authorization_codes'] as const).map((table) => [table, 'oauth'] as const),
  ['activity', 'overview'],
  ['mails', 'mail'],
  ['queued_jobs', 'queue'],
  ['mcp_calls', 'mcp'],
  ['resource_schemas', 'resources'],
  ['own_migrations', 'own-migrations'],
  ...(['signing_keys', 'issuers'] as const).map((table) => [table, 'crypto'] as const),
  ...(['legacy_ids', 'legacy_keys', 'legacy_passes', 'legacy_tokens'] as const).map(
    (table) => [table, 'takeover'] as const,
  ),
]);

/** Stores that write what another folder owns, and why. */
const otherWriters = new Map([
  ['users/accounts/forget-user-store.ts', 'takes a deleted user out of the trail and out of the mail that waits'],
  ['takeover/import/login-store.ts', 'brings over whole tables of another service'],
  ['takeover/import/user-target-store.ts', 'brings over whole tables of another service'],
  ['takeover/legacy-tokens/legacy-token-store.ts', 'ends sessions with the tokens that were brought over'],
]);

interface Import {
  /** Path below src. */
  readonly file: string;
  /** A path below src, or the name of a package. */
  readonly target: string;
  readonly isPackage: boolean;
}

const partOf = (path: string): string => path.split('/', 1)[0]?.replace(/\.ts$/, '') as string;
const sources = globSync('src/**/*.ts', { cwd: root }).map((path) => path.replaceAll('\\', '/').slice('src/'.length));
const shipped = sources.filter((path) => !path.endsWith('.test.ts'));

function importsOf(file: string): Import[] {
  const text = readFileSync(`${root}/src/${file}`, 'utf8');
  const specifiers = [...text.matchAll(/(?:^|[\s;])(?:from|import)\s*\(?\s*'([^']+)'/g)].map(
    (match) => match[1] as string,
  );
  return specifiers.map((name) => {
    const isPackage = !name.startsWith('.');
    return { file, isPackage, target: isPackage ? name : posix.join(posix.dirname(file), name) };
  });
}

const textOf = (file: string): string => readFileSync(`${root}/src/${file}`, 'utf8');
const imports = shipped.flatMap(importsOf);
const show = ({ file, target }: Import): string => `src/${file} imports ${target}`;

describe('Layering', () => {
  it('reads the sources it judges', () => {
    assert.ok(shipped.length > 30);
    assert.ok(imports.some(({ file, target }) => file === 'app.ts' && target === 'http/server.ts'));
  });

  it('gives every folder its place', () => {
    const homeless = [...new Set(shipped.map(partOf))].filter((part) => !mayImport.has(part));
    assert.deepEqual(homeless, []);
  });

  it('lets imports go down only', () => {
    const wrong = imports.filter(({ file, target, isPackage }) => {
      const [from, to] = [partOf(file), partOf(target)];
      return !isPackage && from !== to && !mayImport.get(from)?.includes(to);
    });
    assert.deepEqual(wrong.map(show), []);
  });

  it('lets imports between the rooms of a folder go down only', () => {
    for (const [folder, floors] of rooms) {
      const isInside = (path: string): boolean => path.startsWith(`${folder}/`);
      const floorOf = (path: string): number => {
        const [room = '', file] = path.slice(folder.length + 1).split('/');
        return file === undefined ? floors.length : floors.indexOf(room);
      };
      const inside = imports.filter(({ file, target }) => isInside(file) && isInside(target));
      assert.deepEqual(
        inside.filter(({ file }) => floorOf(file) < 0).map(show),
        [],
        'name the room in its place above',
      );
      assert.deepEqual(inside.filter(({ file, target }) => floorOf(target) > floorOf(file)).map(show), []);
    }
  });

  it('lets no import go in a circle, not even for types', () => {
    const beside = globSync('{client,console/src,bench}/**/*.{ts,tsx}', { cwd: root, exclude: skipped });
    const all = [...shipped, ...beside.map((path) => `../${path.replaceAll('\\', '/')}`)];
    const targets = new Map(all.map((file) => [file, importsOf(file).map(({ target }) => target)]));
    // What imports nothing that is left takes part in no circle: taken away again and again, only circles remain.
    for (let before = -1; before !== targets.size; ) {
      before = targets.size;
      for (const [file, of] of targets) if (!of.some((target) => targets.has(target))) targets.delete(file);
    }
    const round = [...targets].map(([file, of]) => `${file} → ${of.filter((one) => targets.has(one)).join(', ')}`);
    assert.deepEqual(round, []);
  });

  it('keeps sources inside src', () => {
    const wrong = imports.filter(({ target, isPackage }) => !isPackage && target.startsWith('..'));
    assert.deepEqual(wrong.map(show), []);
  });

  it('writes SQL in stores and the database layer alone', () => {
    const mayQuery =
      /(^database\/|-store\.ts$|^resources\/(sql|declaration\/fields|model|query|read|write|migrations)\/|^takeover\/source\/|^own-migrations\/declare\.ts$)/;
    const wrong = imports.filter(({ file, target }) => target === 'kysely' && !mayQuery.test(file));
    assert.deepEqual(wrong.map(show), []);
    const builder = /\.(selectFrom|selectNoFrom|insertInto|updateTable|deleteFrom)\(/;
    const text = /\bsql(<[^>]*>)?`|[`'"]\s*(select\s[^`'"]*\sfrom\s|insert into \w|update \w+ set |delete from \w)/i;
    const writers = shipped.filter((file) => builder.test(textOf(file)) || text.test(textOf(file)));
    assert.ok(writers.includes('sessions/store/session-store.ts'));
    assert.deepEqual(
      writers.filter((file) => !mayQuery.test(file)),
      [],
    );
  });

  it('lets one folder alone write a table', () => {
    const written = /\b(?:insertInto|updateTable|deleteFrom)\('(\w+)'|\b(?:insert into|update|delete from) (\w+)/g;
    for (const file of shipped.filter((path) => path.endsWith('-store.ts') && !otherWriters.has(path))) {
      const tables = [...textOf(file).matchAll(written)].map((match) => (match[1] ?? match[2]) as string);
      const foreign = tables.filter((table) => tableOwners.has(table) && tableOwners.get(table) !== partOf(file));
      assert.deepEqual(foreign, [], `src/${file} writes tables of another folder: ask that for it`);
      const homeless = [...textOf(file).matchAll(written)].flatMap(([, table]) =>
        table === undefined || tableOwners.has(table) ? [] : [table],
      );
      assert.deepEqual(homeless, [], `say above which folder owns the tables of src/${file}`);
    }
  });

  it('ships no test code', () => {
    const wrong = imports.filter(({ target }) => /^node:(test|assert)|^\.\.\/test\//.test(target));
    assert.deepEqual(wrong.map(show), []);
    assert.deepEqual(
      shipped.filter((path) => /(^|\/)(test|mock|fake|stub)-/.test(path)),
      [],
    );
  });

  it('writes for a caller only in transactions that hold its authority', () => {
    const opens = /\bcommitAndInvalidate(<[^>]*>)?\(|\.transaction\(\)/;
    const openers = shipped.filter((file) => opens.test(readFileSync(`${root}/src/${file}`, 'utf8')));
    const unnamed = openers.filter((file) => !ownTransactions.has(file));
    assert.deepEqual(unnamed, [], 'write by changeAs, or name the file above and say whose authority it is');
  });

  it('knows Fastify in routes, pages and the HTTP layer alone', () => {
    const mayServe = /(^http\/|^pages\/|^routes\/|-routes\.ts$)/;
    const wrong = imports.filter(
      ({ file, target }) => (target === 'fastify' || target.startsWith('@fastify/')) && !mayServe.test(file),
    );
    assert.deepEqual(wrong.map(show), []);
  });

  it('reads the environment in one place', () => {
    const readers = shipped.filter((file) => /process\.env\b/.test(readFileSync(`${root}/src/${file}`, 'utf8')));
    assert.deepEqual(readers, ['config.ts']);
  });

  it('reads the clock in one place', () => {
    const asksTheClock = /\bDate\.now\(\)|new Date\(\)/;
    const readers = shipped.filter((file) => asksTheClock.test(readFileSync(`${root}/src/${file}`, 'utf8')));
    // A lease is measured by this machine's clocks; a command may run far from the service. Ids only need to ascend, not to agree with a clock that a test has stepped.
    assert.deepEqual(readers.sort(), [
      'cli/account/local-clock.ts',
      'database/postgres/news/lease.ts',
      'database/uuid.ts',
    ]);
  });

  it('gives each migration a number of its own, and the name of its file', () => {
    const files = shipped.filter((path) => path.startsWith('database/migrations/')).sort();
    const names = files.map((path) => path.slice('database/migrations/'.length, -'.ts'.length));
    for (const [i, file] of files.entries()) assert.ok(textOf(file).includes(`name: '${names[i]}'`), file);
    // Databases remember these two by their names.
    const before = ['010-attempts-under-way', '010-emails-in-one-form'];
    const numbers = names.filter((name) => !before.includes(name)).map((name) => name.slice(0, '000'.length));
    assert.deepEqual(numbers, [...new Set(numbers)]);
    assert.ok(!numbers.includes('010'));
    // A database that has a later one would get an earlier one after it, and another database before it.
    assert.deepEqual([...knownMigrations].sort(), knownMigrations);
  });

  it('has no folder or file without a name of its own', () => {
    const vague = sources.filter((path) => /(^|\/)(utils?|helpers?|common|misc|index)(\.ts|\/)/.test(path));
    assert.deepEqual(vague, []);
  });

  it('exports nothing that nobody else uses', () => {
    assert.deepEqual(unusedExports(root), []);
  });

  it('keeps files small', () => {
    const all = globSync('{src,test,client,console/src,bench,examples}/**/*.{ts,tsx}', {
      cwd: root,
      exclude: skipped,
    });
    const long = all.filter((path) => readFileSync(`${root}/${path}`, 'utf8').trimEnd().split('\n').length > 300);
    assert.deepEqual(long, []);
  });
});
