import assert from 'node:assert/strict';
import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { OperatorError } from '../../platform/errors.ts';
import { createSealing } from './sealing.ts';

describe('Sealing', () => {
  const folders: string[] = [];
  after(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });
  const folder = () => {
    const dir = mkdtempSync(join(tmpdir(), 'gatehouse-sealing-'));
    folders.push(dir);
    return dir;
  };
  const settings = (
    changes: { encryptionKey?: string; previousEncryptionKey?: string; databaseUrl?: string; dataDir?: string } = {},
  ) => ({
    encryptionKey: '',
    previousEncryptionKey: '',
    databaseUrl: 'sqlite:x.db',
    dataDir: changes.dataDir ?? folder(),
    ...changes,
  });
  const onPostgres = settings({ databaseUrl: 'postgres://gatehouse:hunter2@db/gatehouse' });
  const content = Buffer.from('a private key');

  /** Seals with the earlier derivation, which takes the key directly from the secret. */
  function sealedQuickly(secret: string, label: string): string {
    const key = Buffer.from(hkdfSync('sha256', secret, 'gatehouse', 'sealed keys', 32));
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', key, iv);
    cipher.setAAD(Buffer.from(label));
    const body = Buffer.concat([cipher.update(content), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url');
  }

  for (const [name, where] of [
    ["the database's password", onPostgres],
    ['ENCRYPTION_KEY', settings({ encryptionKey: 'sixteen or more ones' })],
  ] as const) {
    it(`with ${name} uses a slow derivation with a salt per database`, () => {
      const [one, other] = [createSealing(where), createSealing(where)];
      const sealed = one.seal(content, 'a');
      assert.match(sealed, /^\$argon2id\$m=19456,t=2,p=1\$[\w-]{22}\$/);
      assert.deepEqual(other.open(sealed, 'a'), { content, isCurrent: true });
      const saltOf = (text: string) => text.split('$')[3];
      assert.equal(saltOf(other.seal(content, 'b')), saltOf(sealed), 'the key is derived once per start');
      assert.notEqual(
        saltOf(createSealing(where).seal(content, 'a')),
        saltOf(sealed),
        'another database has another salt',
      );
      assert.throws(() => other.open(sealed, 'b'), OperatorError, 'a sealed value is bound to its row');
    });
  }

  it('finds the password in a database URL with several hosts', () => {
    const sealed = createSealing(onPostgres).seal(content, 'a');
    const databaseUrl = 'postgres://gatehouse:hunter2@one:5432,two:5433/gatehouse';
    assert.deepEqual(createSealing(settings({ databaseUrl })).open(sealed, 'a').content, content);
  });

  it('decrypts values of the earlier derivation, to be encrypted again', () => {
    const sealing = createSealing(onPostgres);
    assert.deepEqual(sealing.open(sealedQuickly('hunter2', 'a'), 'a'), { content, isCurrent: false });
  });

  it('switches from one ENCRYPTION_KEY to another', () => {
    const [before, now] = ['sixteen or more ones', 'and sixteen or more twos'];
    const sealed = createSealing(settings({ encryptionKey: before })).seal(content, 'a');
    assert.throws(() => createSealing(settings({ encryptionKey: now })).open(sealed, 'a'), OperatorError);
    const moving = createSealing(settings({ encryptionKey: now, previousEncryptionKey: before }));
    assert.deepEqual(moving.open(sealed, 'a'), { content, isCurrent: false });
    const anew = moving.seal(content, 'a');
    assert.deepEqual(createSealing(settings({ encryptionKey: now })).open(anew, 'a'), { content, isCurrent: true });
  });

  it('uses a fast derivation for a generated key file, which cannot be guessed', () => {
    const where = settings();
    const sealed = createSealing(where).seal(content, 'a');
    const secret = readFileSync(join(where.dataDir, 'encryption.key'), 'utf8').trim();
    assert.ok(secret.length >= 43);
    assert.equal(statSync(join(where.dataDir, 'encryption.key')).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(where.dataDir), ['encryption.key']);
    assert.deepEqual(createSealing(where).open(sealed, 'a'), { content, isCurrent: true });
    assert.deepEqual(createSealing(where).open(sealedQuickly(secret, 'a'), 'a'), { content, isCurrent: true });
  });

  it('refuses an empty or truncated key file, and explains what to do', () => {
    for (const [held, says] of [
      ['', /is empty/],
      ['\n \n', /is empty/],
      ['Zm9vYmFy\n', /holds 8 characters/],
    ] as const) {
      const where = settings();
      writeFileSync(join(where.dataDir, 'encryption.key'), held);
      assert.throws(
        () => createSealing(where),
        (error: Error) =>
          error instanceof OperatorError && says.test(error.message) && /restore the copy/.test(error.message),
      );
    }
  });

  it('creates no key file for read-only commands', () => {
    const where = settings();
    assert.throws(() => createSealing(where, { createIfMissing: false }), /There is no key file/);
    assert.deepEqual(readdirSync(where.dataDir), []);
  });
});
