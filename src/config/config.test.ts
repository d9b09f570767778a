import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { samples } from '../../test/harness/setting-samples.ts';
import { loadConfig, parseConfig } from './config.ts';
import { settings } from './settings/settings.ts';

const here = '/srv/gatehouse';
const fromEnv = (env: Record<string, string>) => parseConfig({}, env, here);
const fromFile = (file: Record<string, unknown>) => parseConfig(file, {}, here);

describe('Every setting', () => {
  for (const key of Object.keys(settings) as (keyof typeof settings)[]) {
    const { env, secret, expected } = settings[key];
    const [text, value, invalid] = samples[key];

    it(`${env} is read from the environment and from the file, and the environment takes precedence`, () => {
      const databaseUrl = /^database(Listen|Replica)/.test(key) ? { databaseUrl: 'postgres://a:b@c/d' } : {};
      assert.deepEqual(parseConfig(databaseUrl, { [env]: text }, here)[key], value);
      assert.deepEqual(fromFile({ ...databaseUrl, [key]: value })[key], value);
      assert.deepEqual(fromFile({ ...databaseUrl, [key]: text })[key], value);
      const other = key === 'databaseUrl' ? 'sqlite:/x.db' : settings[key].default;
      if (other !== '')
        assert.deepEqual(parseConfig({ ...databaseUrl, [key]: other }, { [env]: text }, here)[key], value);
    });

    if (invalid !== '') {
      it(`${env} refuses an invalid value, and lists the valid ones`, () => {
        for (const read of [() => fromEnv({ [env]: invalid }), () => fromFile({ [key]: invalid })]) {
          assert.throws(read, ({ message }: Error) => {
            assert.ok(message.includes(secret ? 'a value that is not shown' : `"${invalid}"`), message);
            assert.ok(!secret || !message.includes(invalid), 'the message contains no secret');
            return message.includes(`expected ${expected}`) && (message.includes(env) || message.includes(key));
          });
        }
      });
    }
  }
});

describe('Combined settings', () => {
  it('drain by default only if there can be other instances', () => {
    const DATABASE_URL = 'postgres://a:b@c/d';
    assert.deepEqual([fromEnv({}).drainSeconds, fromEnv({ DATABASE_URL }).drainSeconds], [0, 5]);
    assert.equal(fromEnv({ DRAIN_SECONDS: '7' }).drainSeconds, 7);
    assert.equal(fromEnv({ DATABASE_URL, DRAIN_SECONDS: '0' }).drainSeconds, 0);
  });

  it('refuse PostgreSQL settings for an SQLite database, and show no password', () => {
    for (const name of ['DATABASE_LISTEN_URL', 'DATABASE_REPLICA_URLS']) {
      for (const DATABASE_URL of ['', 'sqlite:/srv/x.db']) {
        const invalid = () => fromEnv({ DATABASE_URL, [name]: 'postgres://ada:lovelace@db/x' });
        assert.throws(invalid, {
          name: 'OperatorError',
          message: new RegExp(`^${name} is for PostgreSQL, and (?!.*love)`),
        });
      }
      assert.doesNotThrow(() => fromEnv({ [name]: '' }));
    }
  });

  it('refuse a password that breaks the URL, explain how to encode it, and never show it', () => {
    const password = 'ab/cd+e=';
    const urls = [
      `postgres://postgres:${password}@127.0.0.1:5432/name`,
      'postgres://postgres:ab@cd+e=@127.0.0.1/name',
      'postgres://postgres:ab?cd+e=@127.0.0.1/name',
      'postgres://postgres:ab#cd+e=@127.0.0.1/name',
      'postgres://postgres:12/cd+e=@127.0.0.1/name',
      'postgres://postgres:ab@12/cd+e=@127.0.0.1/name',
      'postgres://postgres:ab%cd+e=@127.0.0.1/na%me',
      'postgres://postgres:ab cd+e=@127.0.0.1/name',
      'postgres://postgres:abcd+e=/name',
    ];
    for (const url of urls) {
      for (const name of ['DATABASE_URL', 'DATABASE_LISTEN_URL', 'DATABASE_REPLICA_URLS']) {
        const env = { DATABASE_URL: 'postgres://a:b@c/d', [name]: url };
        assert.throws(() => fromEnv(env), {
          message: new RegExp(`^${name}: got a value .*percent-encode(?!.*cd\\+e)`),
        });
      }
    }
    for (const SMTP_URL of ['smtp://me:ab/cd+e=@mail.example.com', 'smtp://me:12/cd+e=@mail.example.com'])
      assert.throws(() => fromEnv({ SMTP_URL }), { message: /^SMTP_URL: got a value .*percent-encode(?!.*cd\+e)/ });
    const right = [
      `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:5432,[::1]:5433/name?sslmode=require`,
      'postgres://gatehouse@database/gatehouse',
      'postgresql://u@/name?host=/run/postgresql',
      'postgres://%2Frun%2Fpostgresql/name',
    ];
    for (const DATABASE_URL of right) assert.equal(fromEnv({ DATABASE_URL }).databaseUrl, DATABASE_URL);
    assert.doesNotThrow(() => fromEnv({ SMTP_URL: 'smtp://me@example.com:pass@mail.example.com:587?requireTLS=true' }));
    assert.throws(() => fromFile({ clients: 'web:top-secret' }), { message: /^(?!.*top-secret)/s });
    assert.throws(() => fromEnv({ CORS_ORIGINS: 'https://ada:lovelace@a.com' }), { message: /^(?!.*lovelace)/s });
  });

  it('refuse a configured folder that does not exist, even the default one', () => {
    assert.throws(
      () => fromEnv({ RESOURCES_DIR: '../resources' }),
      /RESOURCES_DIR: got ".*resources"; expected a folder/,
    );
    assert.throws(() => fromFile({ viewsDir: 'veiws' }), /VIEWS_DIR: got ".*veiws"; expected a folder that exists/);
  });

  it('have the defaults of the contract', () => {
    const config = fromEnv({});
    assert.equal(config.baseUrl, 'http://127.0.0.1:3000');
    assert.equal(config.databaseUrl, `sqlite:${here}/data/gatehouse.db`);
    assert.equal(config.dataDir, `${here}/data`);
    assert.equal(config.resourcesDir, `${here}/resources`);
    assert.equal(config.loginPageUrl, 'login');
    assert.equal(config.requireEmailConfirmation, false);
    assert.equal(config.forceAcceptHeader, true);
    assert.deepEqual(config.loginAttributes, ['email']);
    assert.deepEqual(
      [config.accessTokenTtl, config.refreshTokenTtl, config.refreshGrace, config.personalTokenTtl, config.rateLimit],
      [3600, 2_592_000, 10, 31_536_000, 600],
    );
    assert.equal(config.sessionMaxAge, 0);
    assert.deepEqual(config.proxiedClients, []);
  });

  it('cannot be changed', () => {
    const config = fromEnv({ LOGIN_ATTRIBUTES: 'email' });
    assert.ok(Object.isFrozen(config));
    assert.ok(Object.isFrozen(config.loginAttributes));
  });

  it('accept the spellings of the specification', () => {
    const config = fromFile({
      'login-page-url': 'entry',
      require_email_confirmation: true,
      'force-accept-header': false,
      login: ['email', 'username'],
    });
    assert.equal(config.loginPageUrl, 'entry');
    assert.equal(config.requireEmailConfirmation, true);
    assert.equal(config.forceAcceptHeader, false);
    assert.deepEqual(config.loginAttributes, ['email', 'username']);
  });

  it('suggest the nearest name for an unknown one', () => {
    assert.throws(
      () => fromFile({ loginPageURL: 'x' }),
      /"loginPageURL" is not a setting. Did you mean "loginPageUrl"\?/,
    );
    assert.throws(() => fromFile({ require_email_confirm: true }), /Did you mean "require_email_confirmation"\?/);
    assert.throws(() => fromFile({ nonsense: 1 }), /is not a setting. The settings are: host, port/);
    assert.throws(() => fromEnv({ DATABSE_URL: 'x' }), /DATABSE_URL is not a setting. Did you mean DATABASE_URL\?/);
    assert.throws(() => fromEnv({ ACCES_TOKEN_TTL: '1' }), /Did you mean ACCESS_TOKEN_TTL\?/);
  });

  it('refuse a name that resembles a setting or starts like one', () => {
    const meant = {
      SMTPURL: 'SMTP_URL',
      BASEURL: 'BASE_URL',
      PROT: 'PORT',
      PORTS: 'PORT',
      ROLE: 'ROLES',
      databaseUrl: 'DATABASE_URL',
      RATE_LIMIT_PER_MINUTE: 'RATE_LIMIT',
    };
    for (const [name, setting] of Object.entries(meant)) {
      const message = `${name} is not a setting. Did you mean ${setting}? Rename it, or unset it.`;
      assert.throws(() => fromEnv({ [name]: 'x' }), { message });
      assert.throws(() => parseConfig({}, {}, here, { [name]: 'x' }), { message });
    }
    for (const name of ['SMTP_HOST', 'DATABASE_PASSWORD', 'LOGIN_URL']) {
      assert.throws(() => parseConfig({}, {}, here, { [name]: 'x' }), {
        message: new RegExp(`^\\.env: ${name} is not a setting, and begins like [A-Z_, ]+\\. Rename it`),
      });
      assert.doesNotThrow(() => fromEnv({ [name]: 'x' }), 'it may belong to another program of the machine');
    }
    assert.doesNotThrow(() => parseConfig({}, {}, here, { POSTGRES_PASSWORD: 'x', NODE_ENV: 'x', PGPASSWORD: 'x' }));
  });

  it('report all mistakes at once', () => {
    const env = { PORT: 'http', ACCES_TOKEN_TTL: '1', LOG_LEVEL: 'info', REFRESH_GRACE: 'long' };
    assert.throws(() => fromEnv(env), /^OperatorError: PORT: .*\nACCES_TOKEN_TTL is not .*\nREFRESH_GRACE: [^\n]*$/);
  });

  it('ignore the variables of other programs', () => {
    assert.doesNotThrow(() => fromEnv({ PATH: '/bin', EDITOR: 'vi', LANG: 'C', SHELL: 'sh', HOSTNAME: 'x', PWD: '/' }));
    assert.doesNotThrow(() =>
      fromEnv({ HOME: '/', MAIL: '/var/mail/x', HOSTTYPE: 'x', LOGNAME: 'x', POSTGRES_PORT: '1' }),
    );
    assert.equal(fromEnv({ PORT: '' }).port, 3000);
  });

  it('derive BASE_URL from HOST and PORT', () => {
    assert.equal(fromEnv({ HOST: '0.0.0.0', PORT: '80' }).baseUrl, 'http://127.0.0.1:80');
    assert.equal(fromEnv({ HOST: '::1' }).baseUrl, 'http://[::1]:3000');
    for (const invalid of [
      'https://a.com/',
      'https://a.com?x',
      'ftp://a.com',
      'https://a.com/b/',
      'http://[',
      'http://a:99999',
    ]) {
      assert.throws(() => fromEnv({ BASE_URL: invalid }), /BASE_URL/);
    }
  });

  it('refuse invalid proxy addresses and an empty list of login attributes', () => {
    const invalid = ['999.1.1.1', '1.2.3.4.5', '10.0.0.0/33', '10.0.0.0/0', '::1/129', '1.2.3.4/8/8', '10.0.0.1,true'];
    for (const TRUST_PROXY of invalid) assert.throws(() => fromEnv({ TRUST_PROXY }), /TRUST_PROXY: got .*; expected/);
    const right = ['loopback,10.0.0.0/8', 'fd00::/8', '::ffff:10.0.0.1', 'true', 'false'];
    for (const TRUST_PROXY of right) assert.doesNotThrow(() => fromEnv({ TRUST_PROXY }));
    assert.deepEqual(
      [fromFile({ trustProxy: true }).trustProxy, fromFile({ trustProxy: false }).trustProxy],
      [['true'], ['false']],
    );
    assert.throws(() => fromEnv({ LOGIN_ATTRIBUTES: ',' }), /LOGIN_ATTRIBUTES: got ","; expected/);
    assert.throws(() => fromFile({ login: [] }), /login: got \[\]; expected/);
  });
});

describe('Proxied clients', () => {
  const secret = 's'.repeat(32);

  it('are read from the environment and from the file', () => {
    const admin = { path: 'web/admin', id: 'a', secret };
    const mobile = { path: 'mobile/users', id: 'm', secret };
    const env = { CLIENT_WEB_ADMIN_ID: 'a', CLIENT_WEB_ADMIN_SECRET: secret };
    assert.deepEqual(fromEnv(env).proxiedClients, [admin]);
    assert.deepEqual(
      fromEnv({ ...env, CLIENT_MOBILE_USERS_ID: 'm', CLIENT_MOBILE_USERS_SECRET: secret }).proxiedClients,
      [admin, mobile],
    );
    assert.deepEqual(fromFile({ clients: { 'mobile/users': { id: 'm', secret } } }).proxiedClients, [mobile]);
    const web = { path: 'web', id: 'w', secret };
    assert.deepEqual(fromEnv({ CLIENT_WEB_ID: 'w', CLIENT_WEB_SECRET: secret }).proxiedClients, [web]);
    const both = parseConfig({ clients: { 'web/admin': { id: 'old', secret } } }, env, here);
    assert.deepEqual(both.proxiedClients, [admin]);
  });

  it('need both id and secret, and their secret is never shown', () => {
    const refused: [Record<string, string>, RegExp][] = [
      [{ CLIENT_WEB_ADMIN_ID: 'a' }, /^CLIENT_WEB_ADMIN_SECRET is missing: got nothing; expected/],
      [{ CLIENT_WEB_ADMIN_SECRET: secret }, /^CLIENT_WEB_ADMIN_ID is missing/],
      [
        { CLIENT_WEB_ADMIN_ID: 'a b', CLIENT_WEB_ADMIN_SECRET: secret },
        /^CLIENT_WEB_ADMIN_ID: got "a b"; expected 1 to 128/,
      ],
      [{ CLIENT_WEB_ID: 'a' }, /^CLIENT_WEB_SECRET is missing/],
      [{ CLIENT_WEB_ADMIN_EU_ID: 'a' }, /CLIENT_<PLATFORM>_<AUDIENCE>_ID/],
      [{ CLIENT_WEB_ADMIN_KEY: 'a' }, /CLIENT_WEB_ADMIN_KEY is not a setting/],
    ];
    for (const [env, message] of refused) {
      assert.throws(
        () => fromEnv(env),
        (error: Error) => message.test(error.message) && !error.message.includes(secret),
      );
    }
    const [short] = fromEnv({ CLIENT_WEB_ADMIN_ID: 'a', CLIENT_WEB_ADMIN_SECRET: 'short' }).proxiedClients;
    assert.equal(short?.secret, 'short', 'a weak secret is accepted; the log and doctor warn about it');
    assert.throws(() => fromFile({ clients: { 'a/b/c': { id: 'a', secret } } }), /"a\/b\/c" is not a path/);
    assert.throws(() => fromFile({ clients: 'web/admin' }), /expected \{ 'web\/admin'/);
    assert.throws(() => fromFile({ clients: { 'web/admin': null } }), /\['web\/admin'\]\.id is missing/);
  });
});

describe('gatehouse.config.ts', () => {
  const dirs: string[] = [];
  after(() => {
    for (const dir of dirs) rmSync(dir, { recursive: true, force: true });
  });
  const load = (content: string | undefined, overrides = {}) => {
    const dir = mkdtempSync(join(tmpdir(), 'gatehouse-config-'));
    dirs.push(dir);
    if (content !== undefined) writeFileSync(join(dir, 'gatehouse.config.ts'), content);
    return loadConfig(overrides, dir);
  };
  const source = pathToFileURL(join(import.meta.dirname, 'config.ts')).href;

  it('is typed by defineConfig, and command-line options take precedence over it', async () => {
    const content = `import { defineConfig } from '${source}';\nexport default defineConfig({ rateLimit: 7, port: 81 as number });`;
    const config = await load(content, { port: '82' });
    assert.deepEqual([config.rateLimit, config.port], [7, 82]);
  });

  it('is optional', async () => {
    assert.equal((await load(undefined)).rateLimit, 600);
  });

  it('is refused with the mistake', async () => {
    await assert.rejects(load('export default 7;'), /must `export default defineConfig/);
    await assert.rejects(load('export const x = 1;'), /must `export default defineConfig/);
    await assert.rejects(load('export default {'), /gatehouse\.config\.ts:1:17 could not be read/);
    await assert.rejects(load('export default { prot: 1 };'), /"prot" is not a setting. Did you mean "port"\?/);
    await assert.rejects(load('export default { port: 10n };'), /port: got 10n; expected a whole number/);
    await assert.rejects(load('export default { CLIENT_A_ID: 1n, CLIENT_A_SECRET: "b" };'), /got 1n; expected text/);
  });
});
