import assert from 'node:assert/strict';
import { generateKeyPairSync, verify } from 'node:crypto';
import { describe, it } from 'node:test';
import { parseConfig } from '../../../src/config/config.ts';
import { readUpstream } from '../client/upstream.ts';
import { builtinProvider } from './builtin-providers.ts';

const settings = (env: Record<string, string>) => parseConfig({}, env, '/tmp').builtinProviders;
const provider = (name: string, more: object = {}) => builtinProvider({ name, id: 'id', secret: 'secret', ...more });

describe('Built-in providers', () => {
  it('are configured by two settings each, and keep their order', () => {
    const found = settings({
      PROVIDER_GITHUB_ID: 'a',
      PROVIDER_GITHUB_SECRET: 'b',
      PROVIDER_GOOGLE_ID: 'c',
      PROVIDER_GOOGLE_SECRET: 'd',
    });
    assert.deepEqual(
      found.map(({ name, id, secret }) => [name, id, secret]),
      [
        ['github', 'a', 'b'],
        ['google', 'c', 'd'],
      ],
    );
  });

  it('need both settings and a known name', () => {
    assert.throws(() => settings({ PROVIDER_GOOGLE_ID: 'a' }), /PROVIDER_GOOGLE_SECRET is missing/);
    assert.throws(() => settings({ PROVIDER_GOGGLE_ID: 'a' }), /PROVIDER_GOGGLE_ID is not a setting/);
    assert.throws(() => settings({ PROVIDER_GOOGLE_TENANT: 'a' }), /is not a setting/);
  });

  it('do not trust the email of a Microsoft account, unless the owner of the domain verified it', () => {
    const microsoft = provider('microsoft', { tenant: 'acme.example' });
    assert.equal(microsoft.issuer, 'https://login.microsoftonline.com/acme.example/v2.0');
    const verified = (claims: object) =>
      readUpstream(microsoft, 'https://x', { sub: 'a', email: 'a@example.com', ...claims }).emailVerified;
    assert.deepEqual(
      [{}, { email_verified: true }, { xms_edov: false }, { xms_edov: true }, { xms_edov: '1' }].map(verified),
      [false, false, false, true, true],
    );
  });

  it('never count the email of a Facebook account as verified', () => {
    const claims = { sub: 'a', email: 'a@example.com', email_verified: true };
    assert.equal(readUpstream(provider('facebook'), 'https://x', claims).emailVerified, false);
  });

  it('use the primary verified email of a GitHub account', async () => {
    const emails = [
      { email: 'old@example.com', primary: false, verified: true },
      { email: 'new@example.com', primary: true, verified: true },
    ];
    const get = async (url: string) => (url.endsWith('/emails') ? emails : { id: 7, login: 'ada', name: null });
    assert.deepEqual(await provider('github').profile?.(get), {
      sub: '7',
      preferred_username: 'ada',
      name: 'ada',
      email: 'new@example.com',
      email_verified: true,
    });
    (emails[1] as { verified: boolean }).verified = false;
    assert.equal((await provider('github').profile?.(get))?.email, undefined);
  });

  it('sign a new client secret for Apple each time', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    const secret = `ABCDE12345:KEY1234567:${pem.replaceAll('\n', '\\n')}`;
    const { clientSecret, responseMode } = provider('apple', { secret });
    assert.equal(responseMode, 'form_post');
    const jwt = await (clientSecret as () => Promise<string>)();
    const [header = '', payload = '', signature = ''] = jwt.split('.');
    const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
    assert.ok(verify('sha256', Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url')));
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    assert.deepEqual([claims.iss, claims.sub, claims.aud], ['ABCDE12345', 'id', 'https://appleid.apple.com']);
    assert.throws(() => provider('apple', { secret: 'nonsense' }), /PROVIDER_APPLE_SECRET.*not shown/);
  });
});
