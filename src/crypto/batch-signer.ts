import type { KeyObject } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { WorkerThread } from '../worker-thread.ts';
import { signWith } from './signing.ts';
import type { SigningQuestion } from './signing-thread.ts';

interface Pending {
  readonly algorithm: string;
  readonly key: KeyObject;
  readonly text: string;
  resolve(signature: string): void;
  reject(error: unknown): void;
}

/** Waking another thread takes as long as one or two signatures. */
const worthAThread = 3;
/** Handed over before the turn ends, so that the thread works while this one still reads requests. */
const largest = 8;

/**
 * Signs what was asked for in one turn of the event loop together: few texts here, many by another thread, while this one
 * brings their rows to disk. One by one through the platform's thread pool, handing a text over took this thread as long
 * as signing it.
 */
export class BatchSigner {
  readonly #thread = new WorkerThread<SigningQuestion, string[]>('signing-thread', import.meta.url);
  readonly #least = availableParallelism() > 1 ? worthAThread : Number.POSITIVE_INFINITY;
  #batch: Pending[] = [];

  sign(algorithm: string, key: KeyObject, text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const size = this.#batch.push({ algorithm, key, text, resolve, reject });
      if (size === 1) setImmediate(() => this.#flush());
      else if (size === largest) this.#flush();
    });
  }

  #flush(): void {
    const batch = this.#batch;
    this.#batch = [];
    // The key changes at most once in a batch.
    for (const key of new Set(batch.map((pending) => pending.key))) {
      const ofKey = batch.filter((pending) => pending.key === key);
      if (ofKey.length < this.#least) signHere(ofKey);
      else this.#signAside(ofKey);
    }
  }

  #signAside(batch: readonly Pending[]): void {
    const { algorithm, key } = batch[0] as Pending;
    this.#thread.ask({ algorithm, key, texts: batch.map(({ text }) => text) }).then(
      (signatures) => batch.forEach(({ resolve }, i) => void resolve(signatures[i] as string)),
      // Without the thread, as slowly as on a machine with one core.
      () => signHere(batch),
    );
  }
}

function signHere(batch: readonly Pending[]): void {
  for (const { algorithm, key, text, resolve, reject } of batch) {
    try {
      resolve(signWith(algorithm, key, text));
    } catch (error) {
      reject(error);
    }
  }
}
