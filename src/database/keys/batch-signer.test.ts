import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createPublicKey, type KeyObject } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { describe, it, mock } from 'node:test';
import { promisify } from 'node:util';
import { WorkerThread } from '../../platform/worker-thread.ts';
import { BatchSigner } from './batch-signer.ts';
import { generateSigningKey, type Unsigned, verifyWith } from './signing.ts';

const unsigned = (claims: string): Unsigned => `header.${claims}`;

function assertSigned(token: string, key: KeyObject, claims: string): void {
  const [header, body, signature] = token.split('.') as [string, string, string];
  assert.deepEqual([header, Buffer.from(body, 'base64url').toString()], ['header', claims]);
  assert.ok(verifyWith('ES256', createPublicKey(key), `${header}.${body}`, signature), claims);
}

describe('Signing in batches', () => {
  it('signs every token of a batch of any size', async () => {
    const key = await generateSigningKey('ES256');
    const signer = new BatchSigner('ES256', key);
    for (const count of [1, 2, 3, 40]) {
      const claims = Array.from({ length: count }, (_, i) => `{"é. ${i}":${count}}`);
      const tokens = await Promise.all(claims.map((each) => signer.sign(unsigned(each))));
      for (const [i, each] of claims.entries()) assertSigned(tokens[i] ?? '', key, each);
    }
  });

  it('signs tokens that arrive while the thread is busy', async () => {
    const key = await generateSigningKey('ES256');
    const signer = new BatchSigner('ES256', key);
    for (const later of [1, 2, 20]) {
      const first = Promise.all(Array.from({ length: 10 }, (_, i) => signer.sign(unsigned(`first ${i}`))));
      await new Promise((resolve) => setImmediate(resolve));
      const claims = Array.from({ length: later }, (_, i) => `later ${i}`);
      const tokens = await Promise.all(claims.map((each) => signer.sign(unsigned(each))));
      for (const [i, each] of claims.entries()) assertSigned(tokens[i] ?? '', key, each);
      for (const [i, token] of (await first).entries()) assertSigned(token, key, `first ${i}`);
    }
  });

  it('sends tokens to the thread immediately when the main thread is about to wait for the disk', async () => {
    const key = await generateSigningKey('ES256');
    const signer = new BatchSigner('ES256', key);
    const requests = mock.method(WorkerThread.prototype, 'request');
    // The first eight are a full batch for the thread. The others would wait for its response.
    const tokens = Array.from({ length: 12 }, (_, i) => signer.sign(unsigned(`token ${i}`)));
    signer.flushToThread();
    const batches = requests.mock.callCount();
    requests.mock.restore();
    assert.equal(batches, availableParallelism() > 1 ? 2 : 0);
    for (const [i, token] of (await Promise.all(tokens)).entries()) assertSigned(token, key, `token ${i}`);
  });

  it('signs on the main thread if no thread can be created', async () => {
    const script = `
      import { generateSigningKey } from ${JSON.stringify(new URL('signing.ts', import.meta.url).href)};
      import { BatchSigner } from ${JSON.stringify(new URL('batch-signer.ts', import.meta.url).href)};
      const signer = new BatchSigner('ES256', await generateSigningKey('ES256'));
      const all = [3, 8, 20].flatMap((count) => Array.from({ length: count }, (_, i) => signer.sign('header.claims ' + i)));
      console.log((await Promise.all(all)).filter((token) => token.split('.')[2].length === 86).length);`;
    // Under the permission model without --allow-worker, creating a thread throws, as in a container without free threads.
    const options = ['--permission', '--allow-fs-read=*', '--input-type=module', '--eval', script];
    const { stdout } = await promisify(execFile)(process.execPath, options);
    assert.equal(stdout.trim(), '31');
  });

  it('rejects texts that cannot be signed, on the main thread and in the worker thread', async () => {
    const signer = new BatchSigner('ES512', await generateSigningKey('ES256'));
    for (const count of [1, 5, 1]) {
      const results = await Promise.allSettled(Array.from({ length: count }, () => signer.sign('header.claims')));
      assert.ok(
        results.every((result) => result.status === 'rejected' && /unknown JWS algorithm/.test(String(result.reason))),
      );
    }
  });
});
