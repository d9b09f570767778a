import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { codePoint } from '../../../test/harness/code-points.ts';
import { Hmac } from './mac-keys.ts';

describe('HMAC-SHA256', () => {
  it('matches the test vectors of RFC 4231', () => {
    const vectors: [Buffer, string, string][] = [
      [Buffer.alloc(20, 0x0b), 'Hi There', 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'],
      [
        Buffer.from('Jefe'),
        'what do ya want for nothing?',
        '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
      ],
      [
        Buffer.alloc(131, 0xaa),
        'Test Using Larger Than Block-Size Key - Hash Key First',
        '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
      ],
    ];
    for (const [key, data, mac] of vectors) {
      assert.equal(Buffer.from(new Hmac(key).digest(data), 'base64url').toString('hex'), mac);
    }
  });

  it('matches createHmac for any key and data, in any order', () => {
    const data = fc.string({ unit: codePoint, maxLength: 600 });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.array(data, { maxLength: 5 }), (bytes, texts) => {
        const key = Buffer.from(bytes);
        const hmac = new Hmac(key);
        for (const text of texts) {
          assert.equal(hmac.digest(text), createHmac('sha256', key).update(text).digest('base64url'));
        }
      }),
    );
  });
});
