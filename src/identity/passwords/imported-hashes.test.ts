import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseConfig } from '../../config/config.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { isKnownHash } from './imported-hashes.ts';
import { createPasswords } from './passwords.ts';

const passwords = createPasswords({ config: parseConfig({}, {}, '/'), metrics: createMetrics() });

/** Hashes from other programs: libxcrypt, the argon2 reference implementation, passlib, Python's hashlib in Django's format. */
const hashes: readonly [string, string, string][] = [
  ['bcrypt $2b$', 'U*U', '$2b$10$abcdefghijklmnopqrstuu8.5Ghh7tmcqLlYg3HJ3QsLUs0EIofIK'],
  ['bcrypt $2b$ of Python', 'pass1', '$2b$10$abcdefghijklmnopqrstuuAgloNC9i884kKZDHFoRihS9glK6.5wW'],
  ['bcrypt $2y$', 'U*U', '$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  ['bcrypt $2a$', 'U*U', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  ['argon2i', 'password', '$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA'],
  ['argon2id', 'password', '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'],
  [
    'scrypt of passlib',
    'password',
    '$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E',
  ],
  [
    'scrypt of Django',
    'lètmein',
    'scrypt$seasalt$16384$8$1$Qj3+9PPyRjSJIebHnG81TMjsqtaIGxNQG/aEB/NYafTJ7tibgfYz71m0ldQESkXFRkdVCBhhY8mx7rQwite/Pw==',
  ],
  ['PBKDF2 of Django', 'lètmein', 'pbkdf2_sha256$600000$seasalt$OAXyhAQ/4ZDA9V5RMExt3C1OwQdUpLZ99vm1McFlLRA='],
];

describe('Hashes of other systems', () => {
  for (const [name, password, hash] of hashes) {
    it(`${name}: match only the right password, and are replaced at the next sign-in`, async () => {
      assert.equal(isKnownHash(hash), true);
      assert.equal(await passwords.verify(password, hash), true);
      assert.equal(await passwords.verify(`${password}x`, hash), false);
      assert.equal(await passwords.verify('', hash), false);
      assert.equal(passwords.needsRehash(hash), true);
    });
  }

  for (const [reason, hash] of [
    ['plain text', 'password'],
    ['MD5', '5f4dcc3b5aa765d61d8327deb882cf99'],
    ['crypt MD5', '$1$abcdefgh$G//4keteveJp0qb8z2DxG/'],
    ['bcrypt that would take minutes', '$2b$31$abcdefghijklmnopqrstuu8.5Ghh7tmcqLlYg3HJ3QsLUs0EIofIK'],
    [
      'argon2 that would take all memory',
      '$argon2id$v=19$m=4294967,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
    ],
    [
      'scrypt that would take all memory',
      '$scrypt$ln=31,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E',
    ],
    ['PBKDF2 without end', 'pbkdf2_sha256$99999999$seasalt$OAXyhAQ/4ZDA9V5RMExt3C1OwQdUpLZ99vm1McFlLRA='],
    ['an unusable password of Django', '!kXk4mL2Q9sWv0Zb1'],
  ] as const) {
    it(`${reason}: are refused, and match no password`, async () => {
      assert.equal(isKnownHash(hash), false);
      assert.equal(await passwords.verify('password', hash), false);
    });
  }

  it('check many bcrypt passwords at once without blocking the event loop', async () => {
    const [, password, hash] = hashes[0] as [string, string, string];
    const checks = Array.from({ length: 8 }, (_, i) => passwords.verify(i % 2 ? password : 'wrong', hash));
    let underWay = true;
    const all = Promise.all(checks).finally(() => {
      underWay = false;
    });
    let turns = 0;
    for (; underWay; turns++) await new Promise((resolve) => setImmediate(resolve));
    const results = await all;
    assert.deepEqual(results, [false, true, false, true, false, true, false, true]);
    assert.ok(turns > 100, `the event loop turned ${turns} times`);
  });
});
