import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { knownMigrations } from '../src/database/migrate.ts';
import { extensionImports, extensionLoaders, folders, rooms } from './layers.ts';
import { otherWriters, tableOwners } from './table-owners.ts';
import { unusedExports } from './unused-exports.ts';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const skipped = ['**/node_modules/**'];

/**
 * Files that open transactions without a caller's authority, and the reason. Every write that a caller requests goes
 * through `changeAs`, in a transaction that locks the caller's session, user and client.
 */
const ownTransactions = new Map([
  ['database/bus.ts', 'commitAndInvalidate itself'],
  ['database/change-as.ts', 'changeAs itself'],
  ['database/locks/migration-lock.ts', 'the service'],
  ['extensions/read-replicas/replicas.ts', 'no caller: it announces a write'],
  ['oauth/clients/proxied-clients.ts', 'the service'],
  ['oauth/clients/cli-client.ts', 'the service'],
  ['extensions/changes/log/change-store.ts', 'the service'],
  ['extensions/changes/webhooks/webhook-store.ts', 'the service'],
  ['extensions/changes/webhooks/webhook-sender.ts', 'the service'],
  ['oauth/sessions/store/session-store.ts', 'the service: SESSION_MAX_AGE became shorter'],
  ['extensions/jobs/scheduler.ts', 'the service, which queues due jobs'],

  ['identity/roles/role-store.ts', 'the service'],
  ['identity/registration/store-new-user.ts', 'a new user, or the operator'],
  ['identity/email/change-email.ts', 'by a mailed link, which the transaction uses up'],
  ['identity/credentials/reset-password.ts', 'by a mailed link, which the transaction uses up'],
  ['oauth/open-login.ts', 'by the proof of a user and by a client, both locked in the transaction'],
  ['extensions/providers/sign-in/accept-invitation.ts', 'by a mailed link, which the transaction uses up'],
  ['extensions/providers/sign-in/provider-logout.ts', 'by a logout token that an identity provider signed'],
  ['extensions/providers/sign-in/resolve-identity.ts', 'by a token that an identity provider signed'],
  ['identity/factors/email-codes.ts', 'an unauthenticated request for a code'],
  ['extensions/admin-commands/user-commands.ts', 'the operator'],
  ['extensions/client-registration/client-documents.ts', 'the service, by the metadata document of an application'],
  ['extensions/client-registration/manage-client.ts', 'by the token of a registration, locked in the transaction'],
  ['extensions/client-registration/prune-clients.ts', 'the service'],
  ['extensions/client-registration/registered-clients.ts', 'by the token that it ends'],
  ['extensions/secret-scanning/report-token.ts', 'by the token that it ends'],
  [
    'extensions/device-authorization/redeem-device-code.ts',
    'by a device code and a client, both locked in the transaction',
  ],
  ['oauth/grants/authorization-code.ts', 'by a code and a client, both locked in the transaction'],
  ['oauth/grants/client-credentials.ts', 'by the keys of a client, locked in the transaction'],
  ['oauth/revoke.ts', 'by a client, locked in the transaction'],
  ['extensions/openid-logout/logout-request.ts', 'by an ID token of this service'],
  ['extensions/openid-logout/send-logout.ts', 'the service, which found a URI that keeps failing'],
  ['extensions/admin-commands/revoke-everything.ts', 'the operator'],
  ['extensions/move/tables/target-state.ts', 'the operator, who moves the service'],
  ['extensions/move/tables/postgres-tables.ts', 'the operator, who moves the service'],
  ['oauth/sessions/refresh-session.ts', 'the service, which found a theft'],
  ['extensions/passport/legacy-tokens/passport-tokens.ts', 'the service'],
  ['extensions/passport/import/pass-store.ts', 'the operator'],
  ['extensions/passport/import/run-pass.ts', 'the operator'],
  ['extensions/passport/import/users/user-target-store.ts', 'the operator'],
  ['extensions/passport/imported-secrets.ts', 'by a client, locked in the transaction'],
  ['extensions/admin-commands/client-create.ts', 'the operator'],
  ['extensions/admin-commands/client-commands.ts', 'the operator'],
  ['extensions/admin-commands/change-roles.ts', 'the operator'],
  ['extensions/providers/sync-providers.ts', 'the operator, who declares providers'],
]);

interface Import {
  /** The path below `src/`, or a path that begins with `extensions/`. */
  readonly file: string;
  /** A path as in `file`, or the name of a package. */
  readonly target: string;
  readonly isPackage: boolean;
}

/** The lists of all extensions and of their commands. */
const isList = (path: string): boolean =>
  path === 'extensions/all-extensions.ts' || path === 'extensions/all-commands.ts';
const isExtension = (path: string): boolean => path.startsWith('extensions/');
/** The folder of `src/`, or `extensions/<name>`. */
const partOf = (path: string): string => {
  const parts = path.replace(/\.ts$/, '').split('/');
  return parts.slice(0, isExtension(path) ? 2 : 1).join('/');
};
const filesOf = (pattern: string): string[] =>
  globSync(pattern, { cwd: root, exclude: skipped }).map((path) => path.replaceAll('\\', '/'));
/** A part of the console in an extension. */
const isConsolePart = (path: string): boolean => /^extensions\/[^/]+\/console\//.test(path);
const consoleParts = 'extensions/all-console-parts.ts';
const sources = filesOf('{src,extensions}/**/*.ts')
  .filter((path) => !isConsolePart(path) && path !== consoleParts)
  .map((path) => path.replace(/^src\//, ''));
const consoleSources = [...filesOf('{console/src,extensions/*/console}/**/*.{ts,tsx}'), consoleParts].map(
  (path) => `../${path}`,
);
const pathOf = (file: string): string =>
  /^(extensions|\.\.)\//.test(file) ? file.replace(/^\.\.\//, '') : `src/${file}`;
const shipped = sources.filter((path) => !path.endsWith('.test.ts'));

const textOf = (file: string): string => readFileSync(`${root}/${pathOf(file)}`, 'utf8');
const targetOf = (file: string, name: string): string =>
  posix.join(posix.dirname(pathOf(file)), name).replace(/^src\//, '');

function importsOf(file: string): Import[] {
  const text = textOf(file);
  const specifiers = [...text.matchAll(/(?:^|[\s;])(?:from|import)\s*\(?\s*'([^']+)'/g)].map(
    (match) => match[1] as string,
  );
  return specifiers.map((name) => {
    const isPackage = !name.startsWith('.');
    return { file, isPackage, target: isPackage ? name : targetOf(file, name) };
  });
}

const imports = shipped.flatMap(importsOf);
const show = ({ file, target }: Import): string => `${pathOf(file)} imports ${target}`;

describe('Layering', () => {
  it('finds the sources', () => {
    assert.ok(shipped.length > 30);
    assert.ok(imports.some(({ file, target }) => file === 'main/app.ts' && target === 'http/server.ts'));
  });

  it('imports only downwards', () => {
    const wrong = imports.filter(({ file, target, isPackage }) => {
      const [from, to] = [partOf(file), partOf(target)].map((folder) => folders.indexOf(folder));
      const isLoading = isExtension(target) && extensionLoaders.includes(file);
      const isDownwards = (to as number) >= 0 && (to as number) <= (from as number);
      return !isPackage && !isExtension(file) && !isLoading && !isDownwards;
    });
    assert.deepEqual(wrong.map(show), []);
    const isStatic = /\b(?:from|import)\s*'[./]+\/extensions\//;
    assert.deepEqual(
      extensionLoaders.filter((file) => isStatic.test(textOf(file))),
      [],
    );
  });

  it('imports an extension from another one only for a listed reason', () => {
    const pairs = imports
      .map(({ file, target }) => [partOf(file), partOf(target)] as const)
      .filter(([from, to]) => isExtension(from) && isExtension(to) && from !== to && !isList(`${from}.ts`))
      .map(([from, to]) => `${from} imports ${to}`);
    assert.deepEqual([...new Set(pairs)].sort(), [...extensionImports.keys()]);
  });

  it('imports parts of the console from extensions only through their list', () => {
    const ofConsole = consoleSources.flatMap(importsOf);
    const ofCore = ofConsole.filter(({ file }) => pathOf(file).startsWith('console/'));
    const ofParts = ofConsole.filter(({ file }) => isConsolePart(pathOf(file)));
    const wrong = [
      ...ofCore.filter(({ target }) => isExtension(target) && target !== consoleParts),
      ...ofParts.filter(({ file, target }) => isExtension(target) && partOf(target) !== partOf(pathOf(file))),
      // The service imports nothing of the console.
      ...imports.filter(({ target }) => /(^|\/)console\//.test(target) || target === consoleParts),
    ];
    assert.deepEqual(wrong.map(show), []);
  });

  it('imports only downwards between the subfolders of a folder', () => {
    for (const [folder, floors] of rooms) {
      const isInside = (path: string): boolean => path.startsWith(`${folder}/`);
      const floorOf = (path: string): number => {
        const floor = floors.indexOf(path.slice(folder.length + 1).split('/')[0] as string);
        return floor < 0 ? floors.length : floor;
      };
      const inside = imports.filter(({ file, target }) => isInside(file) && isInside(target));
      assert.deepEqual(inside.filter(({ file, target }) => floorOf(target) > floorOf(file)).map(show), []);
    }
  });

  it('has no circular imports, not even of types', () => {
    const beside = filesOf('{client,bench}/**/*.{ts,tsx}').map((path) => `../${path}`);
    const all = [...shipped, ...consoleSources, ...beside];
    const targets = new Map(
      all.map((file) => [file.replace(/^\.\.\//, ''), importsOf(file).map(({ target }) => target)]),
    );
    // A file that imports no remaining file is in no circle. After all such files are removed, only circles remain.
    for (let before = -1; before !== targets.size; ) {
      before = targets.size;
      for (const [file, of] of targets) if (!of.some((target) => targets.has(target))) targets.delete(file);
    }
    const round = [...targets].map(([file, of]) => `${file} → ${of.filter((one) => targets.has(one)).join(', ')}`);
    assert.deepEqual(round, []);
  });

  it('contains SQL only in stores and in the database layer', () => {
    const mayQuery =
      /(^database\/|-store\.ts$|^resources\/(sql|declaration\/fields|model|query|read|write|schemas)\/|^extensions\/(passport\/source|move\/tables|backup|migrations\/(steps|plan)|read-replicas)\/|^extensions\/(migrations\/declare|doctor\/open-read-only)\.ts$)/;
    const wrong = imports.filter(({ file, target }) => target === 'kysely' && !mayQuery.test(file));
    assert.deepEqual(wrong.map(show), []);
    const builder = /\.(selectFrom|selectNoFrom|insertInto|updateTable|deleteFrom)\(/;
    const text = /\bsql(<[^>]*>)?`|[`'"]\s*(select\s[^`'"]*\sfrom\s|insert into \w|update \w+ set |delete from \w)/i;
    const writers = shipped.filter((file) => builder.test(textOf(file)) || text.test(textOf(file)));
    assert.ok(writers.includes('oauth/sessions/store/session-store.ts'));
    assert.deepEqual(
      writers.filter((file) => !mayQuery.test(file)),
      [],
    );
  });

  it('lets only one folder write each table', () => {
    const written = /\b(?:insertInto|updateTable|deleteFrom)\('(\w+)'|\b(?:insert into|update|delete from) (\w+)/g;
    for (const file of shipped.filter((path) => path.endsWith('-store.ts') && !otherWriters.has(path))) {
      const tables = [...textOf(file).matchAll(written)].map((match) => (match[1] ?? match[2]) as string);
      const foreign = tables.filter((table) => tableOwners.has(table) && tableOwners.get(table) !== partOf(file));
      assert.deepEqual(foreign, [], `${pathOf(file)} writes tables of another folder: call that folder instead`);
      const unowned = [...textOf(file).matchAll(written)].flatMap(([, table]) =>
        table === undefined || tableOwners.has(table) ? [] : [table],
      );
      assert.deepEqual(unowned, [], `add the owner of the tables of ${pathOf(file)} to tableOwners`);
    }
  });

  it('ships no test code', () => {
    const wrong = imports.filter(({ target }) => /^node:(test|assert)|^test\//.test(target));
    assert.deepEqual(wrong.map(show), []);
    assert.deepEqual(
      shipped.filter((path) => /(^|\/)(test|mock|fake|stub)-/.test(path)),
      [],
    );
  });

  it("writes for a caller only in transactions that lock the caller's rights", () => {
    const opens = /\bcommitAndInvalidate(<[^>]*>)?\(|\.transaction\(\)/;
    const openers = shipped.filter((file) => opens.test(textOf(file)));
    const unnamed = openers.filter((file) => !ownTransactions.has(file));
    assert.deepEqual(unnamed, [], 'use changeAs, or add the file to ownTransactions with the reason');
  });

  it('uses Fastify only in routes, pages and the HTTP layer', () => {
    const mayServe = /(^http\/|^(extensions\/\w+\/)?pages\/|^extensions\/custom-routes\/|-routes\.ts$)/;
    const wrong = imports.filter(
      ({ file, target }) => (target === 'fastify' || target.startsWith('@fastify/')) && !mayServe.test(file),
    );
    assert.deepEqual(wrong.map(show), []);
  });

  it('reads the environment in one file', () => {
    const readers = shipped.filter((file) => /process\.env\b/.test(textOf(file)));
    assert.deepEqual(readers, ['config/config.ts']);
  });

  it('reads the clock in few files', () => {
    const asksTheClock = /\bDate\.now\(\)|new Date\(\)/;
    const readers = shipped.filter((file) => asksTheClock.test(textOf(file)));
    // A lease uses the clocks of this machine. A command may run far from the service. Ids must only ascend, and need
    // not match a clock that a test advances.
    assert.deepEqual(readers.sort(), [
      'cli/terminal/local-clock.ts',
      'database/postgres/invalidations/lease.ts',
      'database/uuid.ts',
    ]);
  });

  it('gives each migration a unique number, and the name of its file', () => {
    const files = shipped.filter((path) => /^database\/migrations\/[^/]+$/.test(path)).sort();
    const names = files.map((path) => path.slice('database/migrations/'.length, -'.ts'.length));
    for (const [i, file] of files.entries()) assert.ok(textOf(file).includes(`name: '${names[i]}'`), file);
    const numbers = names.map((name) => name.slice(0, '000'.length));
    assert.deepEqual(numbers, [...new Set(numbers)]);
    // Otherwise databases would run the migrations in different orders.
    assert.deepEqual([...knownMigrations].sort(), knownMigrations);
  });

  it('has no vague folder or file names', () => {
    const vague = sources.filter((path) => /(^|\/)(utils?|helpers?|common|misc|index)(\.ts|\/)/.test(path));
    assert.deepEqual(vague, []);
  });

  it('exports only names that other files use', () => {
    assert.deepEqual(unusedExports(root), []);
  });

  it('keeps files small', () => {
    const all = globSync('{src,extensions,test,client,console/src,bench,examples}/**/*.{ts,tsx}', {
      cwd: root,
      exclude: skipped,
    });
    const long = all.filter((path) => readFileSync(`${root}/${path}`, 'utf8').trimEnd().split('\n').length > 300);
    assert.deepEqual(long, []);
  });
});
