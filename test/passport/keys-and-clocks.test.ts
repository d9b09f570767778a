import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { databaseOfEnv, parseLaravelEnv } from '../../extensions/passport/source/laravel-env.ts';
import { WallClock } from '../../extensions/passport/source/wall-clock.ts';
import { gatehouse } from '../harness/command.ts';
import { onBothEngines } from '../harness/engines.ts';
import { services } from '../harness/service.ts';
import { fixture, oldDatabases } from './old-database.ts';
import { heldByClients, mappedScopes, refresh, runImport, setClock, whoAmI } from './run-import.ts';

const held = heldByClients('passport10');
const login = held.of('login');
const verify = [login.access_token, login.refresh_token as string];

describe('A key of another service', () => {
  const start = services('sqlite');
  const make = oldDatabases('sqlite');
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-keys-'));
  after(() => rmSync(dir, { recursive: true, force: true }));
  const file = (name: string, content: string): string => {
    writeFileSync(join(dir, name), content);
    return join(dir, name);
  };
  const foreignEnv = file('foreign.env', `APP_KEY=base64:${Buffer.alloc(32, 7).toString('base64')}\n`);
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const foreignKey = file('foreign.key', publicKey.export({ type: 'spki', format: 'pem' }).toString());

  it('is detected by a token, before anything is written', async () => {
    const service = await start();
    setClock(service);
    const old = await make();
    await assert.rejects(runImport(service, old, { verify, env: foreignEnv }), /not encrypted with this APP_KEY/);
    await assert.rejects(
      runImport(service, old, { verify, publicKey: foreignKey }),
      /not signed by the key of --public-key/,
    );
    await assert.rejects(runImport(service, old, { verify, timezone: 'Asia/Tokyo' }), /-9\.0 h off in Asia\/Tokyo/);
    await assert.rejects(runImport(service, old, { verify: ['nonsense'] }), /neither an access token/);
    assert.equal((await service.context.database.db.selectFrom('legacy_passes').selectAll().execute()).length, 0);
    const verdicts: string[] = [];
    await runImport(service, old, { verify, scopes: mappedScopes }, { verified: (line) => verdicts.push(line) });
    assert.match(verdicts.join(), /access token belongs to this service: it is allowed.*refresh token belongs/s);
  });

  it('is refused at the second pass', async () => {
    const service = await start();
    setClock(service);
    const old = await make();
    await runImport(service, old, { scopes: mappedScopes });
    await assert.rejects(runImport(service, old, { env: foreignEnv }), /APP_KEY differs/);
    await assert.rejects(runImport(service, old, { publicKey: foreignKey }), /public key differs/);
    assert.equal((await whoAmI(service, login.access_token)).status, 200);
  });

  it('is refused with the reason if it is not a valid key', async () => {
    const service = await start();
    const old = await make();
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    for (const [options, message] of [
      [{ publicKey: file('private.key', pem) }, /contains a private key/],
      [{ publicKey: file('no.key', 'nothing') }, /not a public key/],
      [{ publicKey: join(dir, 'absent') }, /could not be read/],
      [{ publicKey: undefined }, /public key is missing/],
      [{ env: file('empty.env', 'APP_NAME=x\n') }, /APP_KEY is missing/],
      [{ env: file('short.env', 'APP_KEY=base64:AAAA\n') }, /not a key of Laravel/],
      [{ timezone: 'Mars/Base' }, /not a time zone/],
      [{ users: 'people' }, /no table "people"/],
      [{ scopes: { 'orders-read': 'orders:read' } }, /not a scope of this service/],
    ] as const) {
      await assert.rejects(runImport(service, old, options), message);
    }
  });
});

onBothEngines('The time zone of the old service', (engine) => {
  const start = services(engine);
  const make = oldDatabases('sqlite');

  it('determines when its tokens expire', async () => {
    const [service, old] = [await start(), await make()];
    for (const table of ['oauth_access_tokens', 'oauth_refresh_tokens']) {
      await old.run(`update ${table} set expires_at = datetime(expires_at, '+9 hours')`);
    }
    setClock(service, Date.UTC(2026, 10, 16, 12));
    await runImport(service, old, { scopes: mappedScopes, timezone: 'Asia/Tokyo', verify });
    assert.equal((await whoAmI(service, login.access_token)).status, 200);
    service.advance(3_600_000);
    assert.equal((await whoAmI(service, login.access_token)).status, 401);
    const web = { id: '2', secret: held.secretOf('2') };
    assert.equal((await refresh(service, login.refresh_token as string, web)).status, 200);
  });
});

describe('Dates of a wall clock', () => {
  it('are read with daylight saving time, and invalid dates are ignored', () => {
    const berlin = new WallClock('Europe/Berlin');
    assert.equal(berlin.read('2026-07-01 12:00:00'), Date.UTC(2026, 6, 1, 10));
    assert.equal(berlin.read('2026-12-01 12:00:00'), Date.UTC(2026, 11, 1, 11));
    // This time occurs twice when daylight saving time ends. The later one signs nobody out early.
    assert.equal(berlin.read('2026-10-25 02:30:00'), Date.UTC(2026, 9, 25, 1, 30));
    assert.equal(berlin.read('2026-07-01T12:00:00Z'), Date.UTC(2026, 6, 1, 12));
    assert.equal(berlin.read('2026-07-01 12:00:00+00'), Date.UTC(2026, 6, 1, 12));
    assert.equal(berlin.read('2026-07-01 12:00:00.123456-05:30'), Date.UTC(2026, 6, 1, 17, 30));
    for (const none of [null, undefined, '', '0000-00-00 00:00:00', '2026-02-30 00:00:00', '2026-13-01', 'soon']) {
      assert.equal(berlin.read(none), null, String(none));
    }
  });
});

describe('The .env of the old service', () => {
  const from = (text: string) => databaseOfEnv(parseLaravelEnv(text));

  it('is parsed in every format of Laravel', () => {
    const env = parseLaravelEnv(
      '\uFEFF# c\nA=1\nexport B="two # words" # c\nC=\'$x\'\nD=$' + '{A}/x\nE=\nF=a=b==\r\n G = spaced \n',
    );
    assert.deepEqual(Object.fromEntries(env), {
      A: '1',
      B: 'two # words',
      C: '$x',
      D: '1/x',
      E: '',
      F: 'a=b==',
      G: 'spaced',
    });
  });

  it('names its database in every format of Laravel', () => {
    for (const [text, url] of [
      ['DB_CONNECTION=sqlite\nDB_DATABASE=/srv/db.sqlite', 'sqlite:/srv/db.sqlite'],
      ['DB_URL=sqlite:///srv/db.sqlite', 'sqlite:/srv/db.sqlite'],
      ['DB_URL=pgsql://u:p@db/app', 'postgres://u:p@db/app'],
      ['DB_URL=mariadb://u:p@db:3307/app', 'mysql://u:p@db:3307/app'],
      ['DB_CONNECTION=mysql\nDB_DATABASE=app\nDB_USERNAME=u\nDB_PASSWORD=p@1', 'mysql://u:p%401@127.0.0.1/app'],
      [
        'DB_CONNECTION=mysql\nDB_DATABASE=app\nDB_USERNAME=u\nDB_SOCKET=/run/mysqld/mysqld.sock',
        'mysql://u:@localhost/app?socketPath=%2Frun%2Fmysqld%2Fmysqld.sock',
      ],
      [
        'DB_CONNECTION=pgsql\nDB_DATABASE=app\nDB_USERNAME=u\nDB_HOST=/run/postgresql\nDB_SEARCH_PATH="shop, public"',
        'postgres://u:@localhost/app?host=%2Frun%2Fpostgresql&options=-c%20search_path%3Dshop%2Cpublic',
      ],
      [
        'DB_URL=postgres://u:p@db/app?search_path=shop&sslmode=require',
        'postgres://u:p@db/app?sslmode=require&options=-c%20search_path%3Dshop',
      ],
      ['DB_DATABASE=app', undefined],
    ] as const) {
      assert.equal(from(text), url, text);
    }
  });
});

onBothEngines('The public key in the .env', (engine) => {
  const start = services(engine);
  const make = oldDatabases('sqlite');
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-key-'));
  after(() => rmSync(dir, { recursive: true, force: true }));

  it('takes precedence over the file, as in Passport, and the report says so', async () => {
    const [service, old] = [await start(), await make()];
    setClock(service);
    const pem = readFileSync(fixture('oauth-public.key'), 'utf8');
    const env = join(dir, '.env');
    writeFileSync(env, `${readFileSync(fixture('app-key.env'), 'utf8')}\nPASSPORT_PUBLIC_KEY="${pem.trim()}"\n`);
    const other = join(dir, 'other.key');
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    writeFileSync(other, publicKey.export({ type: 'spki', format: 'pem' }));
    const report = await runImport(service, old, { scopes: mappedScopes, env, publicKey: other });
    assert.match(report.public_key, /PASSPORT_PUBLIC_KEY of .*other\.key was not used/);
    assert.equal((await whoAmI(service, login.access_token)).status, 200);
  });
});

describe('The command', () => {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-import-'));
  after(() => rmSync(dir, { recursive: true, force: true }));
  const args = [
    'import',
    'passport',
    '--from',
    `sqlite:${fixture('passport10.sqlite')}`,
    '--env',
    fixture('app-key.env'),
    '--public-key',
    fixture('oauth-public.key'),
  ];

  it('changes nothing in a dry run, and exits with 1 if a decision is open', async () => {
    const before = readFileSync(fixture('passport10.sqlite'));
    const { code, stdout, stderr } = await gatehouse([...args, '--dry-run', '--json'], dir);
    assert.equal(code, 1, stderr);
    const report = JSON.parse(stdout) as {
      dry_run: boolean;
      decisions: string[];
      tables: { table: string; read: number }[];
    };
    assert.equal(report.dry_run, true);
    assert.match(report.decisions.join(), /orders-read/);
    assert.equal(report.tables.find(({ table }) => table === 'users')?.read, 4);
    assert.deepEqual(readdirSync(dir), []);
    assert.ok(before.equals(readFileSync(fixture('passport10.sqlite'))));
  });

  it('exits with 0 if no decision is open, and prints so', async () => {
    writeFileSync(join(dir, 'scopes.json'), JSON.stringify(mappedScopes));
    const { code, stdout, stderr } = await gatehouse(
      [...args, '--scopes', 'scopes.json', '--accept', 'client-scopes'],
      dir,
    );
    assert.equal(code, 0, stderr + stdout);
    assert.match(stdout, /Nobody is signed out\./);
    assert.match(stdout, /Cookies of Laravel's own sessions are not imported/);
    const wrong = await gatehouse(
      ['import', 'passport', '--from', 'mongodb://x', '--env', fixture('app-key.env')],
      dir,
    );
    assert.deepEqual([wrong.code, /--from takes mysql/.test(wrong.stderr)], [1, true]);
  });
});
