import type { KeyObject } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { WorkerThread } from '../worker-thread.ts';
import { signWith } from './signing.ts';
import type { SigningKeyData } from './signing-thread.ts';

interface Pending {
  readonly text: string;
  resolve(signature: string): void;
  reject(error: unknown): void;
}

/** Waking another thread takes as long as one or two signatures. */
const worthAThread = 3;
/** Handed over before the turn ends, so that the thread works while this one still reads requests. */
const enoughToStart = 8;

/**
 * Signs with one key what was asked for at about the same time together: few texts here, many by another thread, while this
 * one brings their rows to disk. What comes while the thread is at work goes to it together when it is done, so that the
 * batches grow with the load. One by one through the platform's thread pool, handing a text over took this thread as
 * long as signing it.
 */
export class BatchSigner {
  readonly #key: SigningKeyData;
  readonly #thread: WorkerThread<string[], string[]>;
  readonly #least = availableParallelism() > 1 ? worthAThread : Number.POSITIVE_INFINITY;
  #batch: Pending[] = [];
  #batches = 0;

  constructor(algorithm: string, key: KeyObject) {
    this.#key = { algorithm, key };
    // The key goes to the thread once, at its start: with each batch it would cost more than the batch.
    this.#thread = new WorkerThread('signing-thread', import.meta.url, { data: this.#key });
  }

  sign(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const size = this.#batch.push({ text, resolve, reject });
      if (size >= enoughToStart) this.#flush();
      else if (size === 1 && this.#batches === 0) setImmediate(() => this.#batches === 0 && this.#flush());
    });
  }

  #flush(): void {
    if (this.#batch.length === 0) return;
    const batch = this.#batch;
    this.#batch = [];
    if (batch.length < this.#least) this.#signHere(batch);
    else this.#signAside(batch);
  }

  #signAside(batch: readonly Pending[]): void {
    this.#batches++;
    const done = () => {
      if (--this.#batches === 0) this.#flush();
    };
    this.#thread.ask(batch.map(({ text }) => text)).then(
      (signatures) => {
        batch.forEach(({ resolve }, i) => void resolve(signatures[i] as string));
        done();
      },
      () => {
        // Without the thread, as slowly as on a machine with one core.
        this.#signHere(batch);
        done();
      },
    );
  }

  #signHere(batch: readonly Pending[]): void {
    const { algorithm, key } = this.#key;
    for (const { text, resolve, reject } of batch) {
      try {
        resolve(signWith(algorithm, key, text));
      } catch (error) {
        reject(error);
      }
    }
  }
}
