import { setPriority } from 'node:os';
import { answerQuestions } from '../../platform/worker-thread.ts';
import { makeArgon2, writeArgon2 } from './password-hash.ts';
import { matchesHash } from './stored-hash.ts';

export type HashingQuestion =
  | { readonly kind: 'hash'; readonly password: string }
  | { readonly kind: 'verify'; readonly password: string; readonly hash: string };

/**
 * On Linux a thread has a priority of its own (elsewhere it would be that of the whole process): other requests are answered
 * while all cores hash.
 */
function giveWay(): void {
  try {
    if (process.platform === 'linux') setPriority(0, 10);
  } catch {
    // Some sandboxes forbid even this. Hashing goes on as everything else does.
  }
}

giveWay();

answerQuestions((question: HashingQuestion): string | boolean =>
  question.kind === 'hash'
    ? writeArgon2(makeArgon2(Buffer.from(question.password)))
    : matchesHash(question.password, question.hash),
);
