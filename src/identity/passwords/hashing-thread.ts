import { getPriority, setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import { serveRequests } from '../../platform/worker-thread.ts';
import { matchesHash } from './imported-hashes.ts';
import { makeArgon2, writeArgon2 } from './password-hash.ts';

export type HashingJob =
  | { readonly kind: 'hash'; readonly password: string }
  | { readonly kind: 'verify'; readonly password: string; readonly hash: string };

/** How much higher the nice value is than that of the process (docs/decisions/threads-for-computing.md). */
const niceSteps = { low: 5, lowest: 15 } as const;
const maxNice = 19;

export type HashingPriority = keyof typeof niceSteps;

/** On Linux, each thread has its own priority, so the service responds to other requests while all cores hash. */
function lowerPriority(priority: HashingPriority): void {
  try {
    if (process.platform === 'linux') setPriority(0, Math.min(maxNice, getPriority() + niceSteps[priority]));
  } catch {
    // Some sandboxes forbid this. Then hashing has the priority of the process.
  }
}

lowerPriority(workerData as HashingPriority);

serveRequests((job: HashingJob): string | boolean =>
  job.kind === 'hash' ? writeArgon2(makeArgon2(Buffer.from(job.password))) : matchesHash(job.password, job.hash),
);
