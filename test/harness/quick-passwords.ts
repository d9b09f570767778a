// Preloaded by `npm test` in each test process, its threads and its commands: threads hash passwords with the least cost,
// because the service's own cost would take much of the suite's processor time. The salt of such a hash has a mark, so that
// every other hash is checked at its real cost. src/identity/passwords/passwords.test.ts checks the real cost.
// A test of the wait for hashes sets TEST_REAL_PASSWORDS before it starts a service: threads take the environment of the
// moment in which they start.
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const mark = Buffer.from('quick');
const saltLength = 16;
const { argon2Sync, randomBytes } = crypto;

function markedBytes(size: number): NonSharedBuffer {
  const bytes = randomBytes(size);
  if (size === saltLength) mark.copy(bytes);
  return bytes;
}

crypto.argon2Sync = (algorithm, parameters) => {
  const { nonce } = parameters;
  const isQuick = Buffer.isBuffer(nonce) && nonce.subarray(0, mark.length).equals(mark);
  return argon2Sync(algorithm, isQuick ? { ...parameters, memory: 8, passes: 1 } : parameters);
};
if (!isMainThread && !process.env.TEST_REAL_PASSWORDS) crypto.randomBytes = markedBytes as typeof randomBytes;
syncBuiltinESMExports();
