// Preloaded by `npm test` in each test process, its threads and its commands, to save processor time:
// - Passwords, and the secret that seals keys, are hashed with the least cost. The salt of such a hash has a mark, so that
//   hashes of other programs are checked at their real cost. src/identity/passwords/passwords.test.ts checks the real
//   cost. A test of the wait for hashes sets TEST_REAL_PASSWORDS before it starts a service: threads take the environment
//   of the moment in which they start.
// - RSA keys come from TEST_RSA_KEYS, if the run has made some. Each new service needs one.
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { promisify } from 'node:util';
import { isMainThread } from 'node:worker_threads';

const mark = Buffer.from('quick');
const saltLength = 16;
/** The salts for unknown users and for users without a password. */
const saltsWithoutUser = [Buffer.alloc(saltLength), Buffer.from('has no password.')];
const isReal = Boolean(process.env.TEST_REAL_PASSWORDS);
const { argon2Sync, createPrivateKey, createPublicKey, generateKeyPair, randomBytes, randomInt } = crypto;

function markedBytes(size: number): NonSharedBuffer {
  const bytes = randomBytes(size);
  if (size === saltLength) mark.copy(bytes);
  return bytes;
}

crypto.argon2Sync = (algorithm, parameters) => {
  const { nonce } = parameters;
  const isQuick =
    Buffer.isBuffer(nonce) &&
    (nonce.subarray(0, mark.length).equals(mark) || (!isReal && saltsWithoutUser.some((salt) => salt.equals(nonce))));
  return argon2Sync(algorithm, isQuick ? { ...parameters, memory: 8, passes: 1 } : parameters);
};
if (!isReal) crypto.randomBytes = markedBytes as typeof randomBytes;

const rsaKeys = process.env.TEST_RSA_KEYS?.split(',').map((text) => Buffer.from(text, 'base64'));
if (isMainThread && rsaKeys) {
  const generate = promisify(generateKeyPair) as (type: string, options: unknown) => Promise<unknown>;
  // In turn: two services of one test have different keys.
  let turn = randomInt(rsaKeys.length);
  const generateQuickly = async (type: string, options: unknown) => {
    const key = type === 'rsa' && rsaKeys[turn++ % rsaKeys.length];
    if (!key) return generate(type, options);
    const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' });
    return { privateKey, publicKey: createPublicKey(privateKey) };
  };
  Object.defineProperty(generateKeyPair, promisify.custom, { value: generateQuickly });
}
syncBuiltinESMExports();
