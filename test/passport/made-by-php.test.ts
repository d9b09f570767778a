import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { decryptLaravel } from '../../extensions/passport/source/laravel-encryption.ts';
import { isKnownHash, matchesHash } from '../../src/identity/passwords/imported-hashes.ts';
import { makeArgon2, writeArgon2 } from '../../src/identity/passwords/password-hash.ts';
import { onBothEngines } from '../harness/engines.ts';
import { request } from '../harness/request.ts';
import { services } from '../harness/service.ts';
import { fixture, oldDatabases } from './old-database.ts';
import { heldByClients, mappedScopes, refresh, runImport, setClock } from './run-import.ts';

interface Service {
  readonly cipher: string;
  readonly app_key: string;
  readonly previous_keys: string;
  readonly sealed: Record<string, string>;
  /** Laravel's own result. */
  readonly opens: Record<string, string | null>;
  readonly access_token: string;
  readonly refresh_token: string;
  readonly jti: string;
  readonly refresh_id: string;
}

/**
 * Values from PHP with the libraries of Laravel and Passport (`made_by` names them): `Encrypter::encrypt` with each of
 * Laravel's ciphers, `password_hash`, and tokens of league/oauth2-server. `opens` and `verify` are PHP's own results.
 */
const php = JSON.parse(readFileSync(fixture('made-by-php.json'), 'utf8')) as {
  readonly public_key: string;
  readonly services: readonly Service[];
  readonly hashes: readonly { algorithm: string; hash: string; verify: Record<string, boolean> }[];
};
const web = { id: '2', secret: heldByClients('passport10').secretOf('2') };
const password = 'a password of the old service';

describe('Values from PHP', () => {
  it('are decrypted like in PHP', () => {
    const bytes = (key: string) => Buffer.from(key.replace('base64:', ''), 'base64');
    for (const { cipher, sealed, opens, app_key, previous_keys } of php.services) {
      for (const [name, payload] of Object.entries(sealed)) {
        const text = decryptLaravel(payload, [bytes(app_key), bytes(previous_keys)]);
        assert.equal(text ?? null, opens[name], `${cipher} ${name}`);
      }
    }
  });

  it('match the same passwords as in PHP', () => {
    for (const { algorithm, hash, verify } of php.hashes) {
      assert.ok(isKnownHash(hash), algorithm);
      for (const [tried, matches] of Object.entries(verify)) {
        assert.equal(matchesHash(tried, hash), matches, `${algorithm}: ${tried}`);
      }
    }
  });
});

onBothEngines('A service with keys from PHP', (engine) => {
  const start = services(engine);
  const make = oldDatabases('sqlite');

  it('is imported with its tokens, and with second factors that a previous key encrypted', async () => {
    const [service, old] = [await start(), await make()];
    setClock(service, Date.UTC(2026, 10, 20));
    // A key of 16 bytes, and AES-GCM.
    const { sealed, ...keys } = php.services.find(({ cipher }) => cipher === 'aes-128-gcm') as Service;
    const { dataDir } = service.context.config;
    const [env, publicKey] = [join(dataDir, 'php.env'), join(dataDir, 'php.key')];
    writeFileSync(env, `APP_KEY=${keys.app_key}\nAPP_PREVIOUS_KEYS=${keys.previous_keys}\n`);
    writeFileSync(publicKey, php.public_key);
    const hash = writeArgon2(makeArgon2(Buffer.from(password)));
    await old.run(
      `alter table users add column two_factor_secret text; update users set password = '${hash}';
       delete from oauth_access_tokens; delete from oauth_refresh_tokens;
       update users set two_factor_secret = '${sealed.previous}' where id = 2;
       update users set two_factor_secret = '${sealed.current}' where id = 3;
       update users set two_factor_secret = '${sealed.foreign}' where id = 4;
       update users set name = '${sealed.current}' where id = 1; update users set name = '${sealed.foreign}' where id = 2;
       insert into oauth_access_tokens (id, user_id, client_id, scopes, revoked, expires_at) values ('${keys.jti}', 1, 2, '[]', 0, '2027-11-15 00:00:00');
       insert into oauth_refresh_tokens (id, access_token_id, revoked, expires_at) values ('${keys.refresh_id}', '${keys.jti}', 0, '2027-11-15 00:00:00')`,
    );
    const verify = [keys.access_token, keys.refresh_token];
    const report = await runImport(service, old, { scopes: mappedScopes, env, publicKey, verify });
    assert.equal(report.decisions.length, 2, report.decisions.join('\n'));
    assert.match(report.decisions.join(), /decrypted with APP_KEY.*\(users 4\)/);
    // A column with the cast `encrypted` is imported as its plain value.
    assert.match(report.decisions.join(), /Encrypted values .*\(users\.name of 2\)/);
    const asked = async (username: string) => {
      const form = { grant_type: 'password', username, password, client_id: web.id, client_secret: web.secret };
      return (await request<{ error?: string }>(service, '/oauth/token', { form })).body.error;
    };
    assert.equal(await asked('grace@example.com'), 'mfa_required');
    assert.equal(await asked('alan@example.com'), 'mfa_required');
    assert.equal(await asked('joan@example.com'), undefined);
    const { data: ada } = (
      await request<{ data: Record<string, unknown> }>(service, '/v1/users/me', { token: keys.access_token })
    ).body;
    assert.deepEqual([ada.email, ada.name], ['ada@example.com', keys.opens.current]);
    const renewed = await refresh(service, keys.refresh_token, web);
    assert.equal(renewed.status, 200, renewed.text);
    assert.equal(
      (
        await refresh(
          service,
          keys.refresh_token.replace(/.$/, (c) => (c === '0' ? '1' : '0')),
          web,
        )
      ).status,
      400,
    );
  });
});
