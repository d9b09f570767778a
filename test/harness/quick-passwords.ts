// Preloaded by `npm test` in each test process, its threads and its commands: what the service hashes with its own cost is
// hashed with the least cost, because it would take much of the suite's processor time. Hashes of other costs stay as they
// are. src/identity/passwords/passwords.test.ts checks the real cost. A test of the wait for hashes sets TEST_REAL_PASSWORDS
// before it starts a service: threads take the environment of the moment in which they start.
import crypto, { type Argon2Parameters } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { currentCost } from '../../src/identity/passwords/password-hash.ts';

const real = crypto.argon2Sync;

const isCurrent = ({ memory, passes, parallelism }: Argon2Parameters): boolean =>
  memory === currentCost.memory && passes === currentCost.passes && parallelism === currentCost.parallelism;
const isQuick = (parameters: Argon2Parameters): boolean => !process.env.TEST_REAL_PASSWORDS && isCurrent(parameters);

crypto.argon2Sync = (algorithm, parameters) =>
  real(algorithm, isQuick(parameters) ? { ...parameters, memory: 8, passes: 1 } : parameters);
syncBuiltinESMExports();
