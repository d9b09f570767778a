import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Problem } from '../errors.ts';
import { createMetrics } from '../metrics.ts';
import { BoundedQueue } from './bounded-queue.ts';
import { readArgon2, writeArgon2 } from './password-hash.ts';
import { createPasswords } from './passwords.ts';

const passwords = createPasswords({ metrics: createMetrics() });

describe('passwords', () => {
  it("are hashed with argon2id at OWASP's parameters, in the PHC form, each with its own salt", async () => {
    const hash = await passwords.hash('correct horse battery');
    assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    assert.notEqual(hash, await passwords.hash('correct horse battery'));
    assert.equal(await passwords.verify('correct horse battery', hash), true);
    assert.equal(await passwords.verify('correct horse batterz', hash), false);
    assert.equal(passwords.needsRehash(hash), false);
  });

  it('are the same in either Unicode form', async () => {
    assert.equal(await passwords.verify('cafe\u0301 au lait', await passwords.hash('caf\u00e9 au lait')), true);
  });

  it('longer than the limit are wrong, and unreadable hashes match nothing', async () => {
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

  it('match nobody where there is no user', async () => {
    assert.equal(await passwords.verifyNothing('anything'), false);
  });

  it('keep the PHC form through reading and writing', () => {
    const text = '$argon2i$v=19$m=4096,t=3,p=2$c29tZXNhbHRzb21l$G5l6TX/2l2e0J7M9gRGn2m0v6Xb8tXz0OtoK7TSAWvA';
    const read = readArgon2(text);
    assert.ok(read);
    assert.equal(writeArgon2(read), text);
  });
});

describe('the password queue', () => {
  const later = () => {
    let release = () => {};
    const promise = new Promise<void>((resolve) => {
      release = resolve;
    });
    return { promise, release };
  };

  it('runs a few at a time, lets some wait, and refuses the rest at once with Retry-After', async () => {
    const figures: number[] = [];
    const queue = new BoundedQueue(1, 1, (jobs) => figures.push(jobs));
    const gate = later();
    const order: string[] = [];
    const first = queue.run(async () => {
      await gate.promise;
      order.push('first');
    });
    const second = queue.run(async () => void order.push('second'));
    await assert.rejects(
      queue.run(async () => void order.push('third')),
      (error) => error instanceof Problem && error.status === 503 && Number(error.headers['Retry-After']) > 0,
    );
    gate.release();
    await Promise.all([first, second]);
    assert.deepEqual(order, ['first', 'second']);
    assert.equal(Math.max(...figures), 2);
    assert.equal(figures.at(-1), 0);
  });

  it('goes on after a job that fails', async () => {
    const queue = new BoundedQueue(1, 5);
    const failing = queue.run(async () => {
      throw new Error('broken');
    });
    const next = queue.run(async () => 'fine');
    await assert.rejects(failing, /broken/);
    assert.equal(await next, 'fine');
  });
});
