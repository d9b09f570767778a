import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { BatchSigner } from './batch-signer.ts';
import { generateSigningKey, verifyWith } from './signing.ts';

describe('Signing in batches', () => {
  it('gives each text its own signature, however many come together, also while keys change', async () => {
    const signer = new BatchSigner();
    const keys = [await generateSigningKey('ES256'), await generateSigningKey('ES256')];
    for (const count of [1, 2, 3, 40]) {
      const texts = Array.from({ length: count }, (_, i) => `text ${i} of ${count}`);
      const keyOf = (i: number) => keys[i < count / 2 ? 0 : 1] ?? assert.fail();
      const signatures = await Promise.all(texts.map((text, i) => signer.sign('ES256', keyOf(i), text)));
      for (const [i, text] of texts.entries()) {
        assert.ok(verifyWith('ES256', createPublicKey(keyOf(i)), text, signatures[i] ?? ''), text);
      }
    }
  });

  it('signs without the thread where it cannot be had', async () => {
    const script = `
      import { generateSigningKey } from ${JSON.stringify(new URL('signing.ts', import.meta.url).href)};
      import { BatchSigner } from ${JSON.stringify(new URL('batch-signer.ts', import.meta.url).href)};
      const signer = new BatchSigner();
      const key = await generateSigningKey('ES256');
      const all = [3, 8, 20].flatMap((count) => Array.from({ length: count }, (_, i) => signer.sign('ES256', key, 'text ' + i)));
      console.log((await Promise.all(all)).filter((signature) => signature.length === 86).length);`;
    // Under the permission model without --allow-worker, as in a container with no threads left, making one throws.
    const options = ['--permission', '--allow-fs-read=*', '--input-type=module', '--eval', script];
    const { stdout } = await promisify(execFile)(process.execPath, options);
    assert.equal(stdout.trim(), '31');
  });

  it('fails the texts that cannot be signed, here and in the thread', async () => {
    const signer = new BatchSigner();
    const key = await generateSigningKey('ES256');
    for (const count of [1, 5]) {
      const results = await Promise.allSettled(Array.from({ length: count }, () => signer.sign('ES512', key, 'text')));
      assert.ok(
        results.every((result) => result.status === 'rejected' && /not an algorithm/.test(String(result.reason))),
      );
    }
    assert.ok(await signer.sign('ES256', key, 'text'));
  });
});
