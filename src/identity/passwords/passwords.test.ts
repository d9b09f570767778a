import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { argon2 } from 'node:crypto';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { parseConfig } from '../../config/config.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { readArgon2, writeArgon2 } from './password-hash.ts';
import { createPasswords } from './passwords.ts';

const passwords = createPasswords({ config: parseConfig({}, {}, '/'), metrics: createMetrics() });

describe('Passwords', () => {
  it("are hashed by argon2id with OWASP's parameters, in the PHC format, each with its own salt", async () => {
    const hash = await passwords.hash('correct horse battery');
    assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    assert.notEqual(hash, await passwords.hash('correct horse battery'));
    assert.equal(await passwords.verify('correct horse battery', hash), true);
    assert.equal(await passwords.verify('correct horse batterz', hash), false);
    assert.equal(passwords.needsRehash(hash), false);
  });

  // In a separate process: `npm test` lowers the hashing cost in this process.
  it('are hashed with the cost in the hash', async () => {
    const message = Buffer.from('correct horse battery');
    const program = `import { makeArgon2, writeArgon2 } from '${new URL('./password-hash.ts', import.meta.url)}';
      process.stdout.write(writeArgon2(makeArgon2(Buffer.from('${message}'))));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
    const { algorithm, salt, tag, ...cost } = readArgon2(stdout) ?? assert.fail(stdout);
    const expected = await promisify(argon2)(algorithm, { ...cost, message, nonce: salt, tagLength: tag.length });
    assert.deepEqual(tag, expected);
  });

  it('match in both Unicode normalisation forms', async () => {
    assert.equal(await passwords.verify('cafe\u0301 au lait', await passwords.hash('caf\u00e9 au lait')), true);
  });

  it('do not match if they are too long or if the hash is unreadable', async () => {
    const long = 'x'.repeat(1025);
    assert.equal(await passwords.verify(long, await passwords.hash(long)), false);
    for (const hash of [
      '',
      'plain',
      '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$',
      '$argon2id$v=19$m=99999999,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA',
    ]) {
      assert.equal(await passwords.verify('plain', hash), false, hash);
      assert.equal(passwords.needsRehash(hash), true, hash);
    }
  });

  it('do not match without a user', async () => {
    assert.equal(await passwords.verifyForUnknownUser('anything'), false);
  });

  it('have a PHC format that survives parsing and formatting', () => {
    const text = '$argon2i$v=19$m=4096,t=3,p=2$c29tZXNhbHRzb21l$G5l6TX/2l2e0J7M9gRGn2m0v6Xb8tXz0OtoK7TSAWvA';
    const read = readArgon2(text);
    assert.ok(read);
    assert.equal(writeArgon2(read), text);
  });
});
