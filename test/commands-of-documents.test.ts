import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { logIn, seed } from '../examples/fleet/seed.ts';
import { gatehouse } from './harness/command.ts';
import { documents, fenced } from './harness/fenced.ts';
import { type Service, services } from './harness/service.ts';
import { folderInRepository, root } from './harness/starts.ts';

const run = promisify(execFile);

/** The reason why a `norun` block is not run here, by its document and the beginning of its first line. */
const notRunHere: readonly [path: string, begins: string, why: string][] = [
  ['README.md', 'npx gatehouse-server init', 'test/package/package.test.ts does it with the packed package'],
  ['README.md', 'npm start', 'test/operation starts it by npm; npm test is this very run'],
  ['README.md', 'npx gatehouse-server --help', 'test/cli runs the same commands'],
  ['CONTRIBUTING.md', 'npm test', 'this very run'],
  ['docs/reliability.md', 'npm run test:faults', 'takes half an hour; npm test has a short version of each trial'],
  ['docs/tutorial.md', 'npx gatehouse-server init', 'test/package/package.test.ts does it with the packed package'],
  ['docs/tutorial.md', 'npm start', 'test/package/package.test.ts does it in a new project'],
  ['docs/tutorial.md', 'curl -s $BASE/books', 'the reviews of this test have the required field of step 9'],
  ['docs/tutorial.md', 'npm test', 'test/package/package.test.ts does it in a new project'],
  ['docs/moving-from-laravel.md', 'gatehouse import passport', 'needs a MySQL of somebody; test/passport has its own'],
  ['docs/oauth.md', 'curl https://auth.example.com/oauth/token', 'needs a person who agrees; test/oauth has a browser'],
  ['docs/devices.md', 'gatehouse login', 'needs a user who signs in first'],
  ['docs/fapi.md', 'curl -X POST https://auth.example.com/v1/clients', 'test/fapi/fapi.test.ts creates such a client'],
  ['docs/fapi.md', 'AUTHORIZATION_DETAILS_TYPES', 'a setting; test/fapi starts a service with it'],
  ['docs/jobs.md', 'gatehouse job list', 'needs a project with jobs; test/custom-code has one'],
  ['docs/providers.md', 'PROVIDER_GOOGLE_ID', 'settings; test/providers has upstreams of its own'],
  [
    'docs/webhooks.md',
    'gatehouse webhooks listen',
    'goes on until it is stopped; test/cli/webhooks-listen.test.ts stops it',
  ],
  ['docs/guides/deploy.md', 'BASE_URL=https://example.com/auth', 'serves until it is stopped; test/deploy has a proxy'],
  ['docs/guides/deploy-fly.md', 'fly ', 'needs an account at Fly; test/deploy checks fly.toml'],
  ['docs/guides/deploy-vps.md', 'sudo ', 'changes the machine; test/deploy starts the unit or checks it, and Caddy'],
  ['docs/operating.md', 'gatehouse events --follow', 'goes on until it is stopped; test/cli/events.test.ts stops it'],
  [
    'docs/guides/backups-and-upgrades.md',
    'gatehouse backup /var/backups/copies --every',
    'goes on until it is stopped; test/operation/backups',
  ],
  [
    'docs/operating.md',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'serves until it is stopped; test/telemetry does it with a collector',
  ],
  [
    'docs/fapi.md',
    'curl -X POST https://auth.example.com/v1/clients',
    'names a bank; test/fapi has its own application',
  ],
  ['docs/guides/deploy.md', 'cd /opt/gatehouse', 'needs an installed unit'],
  [
    'docs/move-to-postgresql.md',
    'gatehouse move --to postgres',
    'needs a PostgreSQL of somebody; test/move has its own',
  ],
  ['examples/server-app/README.md', 'npm run example:server-app', 'waits for a user; its own test signs one in'],
  ['examples/web-app/README.md', 'npm run example:web-app', 'waits for a user; its own test signs one in'],
  [
    'examples/fleet/README.md',
    'npm run example:fleet',
    'builds and listens on a port; the page runs against the same service',
  ],
];

/** The pages whose unmarked blocks run below. */
const pages = [
  'README.md',
  'docs/tutorial.md',
  'docs/oauth.md',
  'docs/applications.md',
  'docs/devices.md',
  'docs/client-registration.md',
  'docs/operating.md',
  'docs/guides/backups-and-upgrades.md',
  'docs/migrations.md',
  'examples/fleet/README.md',
];

const declared = (name: string, fields: string): string => `
import { defineResource, integer, reference, text } from 'gatehouse-server/resources';
export default defineResource({ name: '${name}', fields: { ${fields} }, access: { read: 'auth:api', write: 'auth:api' } });
`;

describe('The commands in the documents', () => {
  const start = services('sqlite');
  const dir = folderInRepository('commands');

  const folder = (name: string): string => {
    mkdirSync(join(dir, name, 'resources'), { recursive: true });
    return join(dir, name);
  };

  /** Runs all blocks of a page in one shell. */
  async function runPage(path: string, cwd: string, env: Record<string, string>, url = ''): Promise<string> {
    const script = [
      `gatehouse() { '${process.execPath}' '${join(root, 'bin/gatehouse.mjs')}' "$@"; }`,
      'npx() { shift; gatehouse "$@"; }',
      ...fenced(path, 'sh').flatMap(({ mark, text }) => (mark === 'norun' ? [] : [text])),
    ].join('\n');
    const here = script
      .replaceAll(/http:\/\/127\.0\.0\.1:3000|https:\/\/auth\.example\.com/g, url)
      .replaceAll('/var/backups', cwd);
    const options = { cwd, env: { PATH: process.env.PATH, ...env }, maxBuffer: 10_000_000 };
    const { stdout } = await run('bash', ['--norc', '-euo', 'pipefail', '-c', here], options).catch((error) => {
      throw new Error(`${path}: ${error.stderr}\n${error.stdout}`);
    });
    return stdout;
  }

  const settingsOf = ({ context: { config } }: Service) => ({
    DATABASE_URL: config.databaseUrl,
    DATA_DIR: config.dataDir,
    RESOURCES_DIR: config.resourcesDir,
    LOG_LEVEL: 'error',
  });

  it('run, or are marked as not run, with the reason in this file', () => {
    const blocks = documents().flatMap((path) => ['sh', 'bash', 'shell', 'console'].flatMap((it) => fenced(path, it)));
    const unexplained = blocks.filter(
      ({ path, language, mark, text }) =>
        language !== 'sh' ||
        (mark === 'norun'
          ? !notRunHere.some(([page, begins]) => page === path && text.startsWith(begins))
          : mark !== '' || !pages.includes(path)),
    );
    assert.deepEqual(unexplained, []);
    for (const [page, begins] of notRunHere) {
      assert.ok(
        blocks.some(({ path, mark, text }) => path === page && mark === 'norun' && text.startsWith(begins)),
        `${page}: ${begins}`,
      );
    }
  });

  it('have valid syntax, even if they do not run', async () => {
    const texts = documents().flatMap((path) => fenced(path, 'sh').map(({ text }) => `f() {\n${text}\n}`));
    await run('bash', ['--norc', '-n', '-c', texts.join('\n')]);
  });

  it('of the README work one after the other', async () => {
    const service = await start();
    const stdout = await runPage('README.md', folder('readme'), settingsOf(service), service.url);
    assert.match(stdout, /"access_token":/);
    assert.match(stdout, /"client_secret":/);
    assert.match(stdout, /Token revoked successfully/);
    assert.match(stdout, /"code":"token_revoked"/, 'the last response is the 401 that the README shows');
    assert.equal(stdout.match(/"status":4\d\d/g)?.length, 1, stdout);
  });

  it('of the tutorial and of the pages about OAuth work with the resource of the tutorial', async () => {
    const project = folder('tutorial');
    // Blocks that begin with a path are complete files. `gatehouse check` on the page reads all of them.
    const blocks = fenced('docs/tutorial.md', 'ts').map(({ text }) => text);
    const newField = blocks.find((text) => text.startsWith('    language: ')) ?? '';
    const files = blocks.flatMap((text) => /^\/\/ (\S+\.ts)\n/.exec(text)?.[1] ?? []);
    assert.equal(files.length, 6);
    for (const path of files) {
      const text = blocks.find((block) => block.startsWith(`// ${path}\n`)) ?? '';
      mkdirSync(join(project, dirname(path)), { recursive: true });
      const isReviews = path === 'resources/reviews.ts';
      writeFileSync(join(project, path), isReviews ? text.replace('fields: {\n', `fields: {\n${newField}`) : text);
    }
    const service = await start({ env: { RESOURCES_DIR: join(project, 'resources'), DYNAMIC_CLIENTS: 'open' } });
    const stdout = await runPage('docs/tutorial.md', project, settingsOf(service), service.url);
    assert.match(stdout, /"data":\[\],"meta":/);
    assert.doesNotMatch(stdout, /"status":4\d\d/);
    const made = await runPage('docs/oauth.md', project, settingsOf(service), service.url);
    assert.match(made, /client_id/);
    assert.equal(made.match(/"access_token":/g)?.length, 4, made);
    assert.match(made, /"access_token":"gh_pat_/);
    assert.match(made, /code_challenge=[\w-]{43}&/);
    assert.doesNotMatch(made, /"error":|"status":4\d\d/);
    const created = await runPage('docs/applications.md', project, settingsOf(service), service.url);
    assert.match(created, /client_secret/);
    const device = await runPage('docs/devices.md', project, settingsOf(service), service.url);
    assert.match(device, /"user_code":"[A-Z]{4}-[A-Z]{4}"/);
    assert.match(device, /"error":"authorization_pending"/);
    const registered = await runPage('docs/client-registration.md', project, settingsOf(service), service.url);
    assert.match(registered, /"registration_access_token":/);
  });

  it('of the fleet example work with its seeds', async () => {
    const service = await start({ env: { RESOURCES_DIR: join(root, 'examples/fleet/resources') } });
    await seed(service.url, await logIn(service.url, 'admin@example.com', 'correct horse battery'));
    const stdout = await runPage('examples/fleet/README.md', folder('fleet'), settingsOf(service), service.url);
    assert.match(stdout, /204\n/);
    assert.match(stdout, /200\n412\n/);
    const refused = [...stdout.matchAll(/"status":(4\d\d)/g)].map(([, status]) => status);
    assert.deepEqual(refused, ['400', '422', '403'], 'no other request is refused');
  });

  it('of the operations and migrations pages work on the database of a project', async () => {
    const project = folder('project');
    const settings = { DATA_DIR: join(project, 'data'), LOG_LEVEL: 'error' };
    const write = (name: string, text: string) => writeFileSync(join(project, 'resources', `${name}.ts`), text);
    write('cars', declared('cars', 'color: text(), price: text()'));
    write('owners', declared('owners', 'name: text()'));
    for (const args of [['migrate'], ['user', 'create', '--email', 'ada@example.com']]) {
      const { code, stderr } = await gatehouse(args, project, settings);
      assert.equal(code, 0, stderr);
    }
    await runPage('docs/operating.md', project, settings);
    await runPage('docs/guides/backups-and-upgrades.md', project, settings);
    // A command that deletes something must find it first.
    const database = new DatabaseSync(join(settings.DATA_DIR, 'gatehouse.db'));
    database.exec(
      "insert into cars (id, version, created_at, updated_at, color, price) values ('a', 1, 0, 0, 'red', '900')",
    );
    database.exec("insert into owners (id, version, created_at, updated_at, name) values ('b', 1, 0, 0, 'Ada')");
    database.close();
    write('cars', declared('cars', 'price: text()'));
    rmSync(join(project, 'resources', 'owners.ts'));
    assert.match(await runPage('docs/migrations.md', project, settings), /owners/);
  });
});
