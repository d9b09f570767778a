import type { KeyObject } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { WorkerThread } from '../../platform/worker-thread.ts';
import { signJws, type Unsigned } from './signing.ts';
import type { SigningKeyData } from './signing-thread.ts';

interface PendingToken {
  readonly unsigned: Unsigned;
  resolve(token: string): void;
  reject(error: unknown): void;
}

/** Waking a thread takes as long as one or two signatures. */
const minBatchForThread = 3;
/** An RSA signature takes longer than waking a thread. */
const slowAlgorithms: readonly string[] = ['RS256'];
/** A batch of this size is sent before the turn ends. */
const flushSize = 8;

/**
 * Signs tokens in batches with one key. This thread signs small batches. A worker thread signs large ones while this thread writes their
 * rows to disk. Sending tokens to the thread pool of Node one by one takes as long as signing them.
 */
export class BatchSigner {
  readonly #key: SigningKeyData;
  readonly #thread: WorkerThread<Unsigned[], string[]>;
  readonly #minBatch: number;
  #batch: PendingToken[] = [];
  #pendingBatches = 0;

  constructor(algorithm: string, key: KeyObject) {
    this.#key = { algorithm, key };
    this.#minBatch = slowAlgorithms.includes(algorithm)
      ? 1
      : availableParallelism() > 1
        ? minBatchForThread
        : Number.POSITIVE_INFINITY;
    // The thread gets the key once. Sending the key with each batch would take longer than signing the batch.
    this.#thread = new WorkerThread('signing-thread', import.meta.url, { data: this.#key });
  }

  sign(unsigned: Unsigned): Promise<string> {
    return new Promise((resolve, reject) => {
      const size = this.#batch.push({ unsigned, resolve, reject });
      if (size >= flushSize) this.#flush();
      else if (size === 1 && this.#pendingBatches === 0)
        setImmediate(() => this.#pendingBatches === 0 && this.#flush());
    });
  }

  /** Sends the batch to the thread now, even if the thread is busy, because the main thread is about to wait for the disk. */
  flushToThread(): void {
    if (this.#batch.length >= this.#minBatch) this.#flush();
  }

  /** Ends the thread. The main thread signs the remaining tokens. */
  close(): Promise<void> {
    return this.#thread.end();
  }

  #flush(): void {
    if (this.#batch.length === 0) return;
    const batch = this.#batch;
    this.#batch = [];
    if (batch.length < this.#minBatch) this.#signInMainThread(batch);
    else this.#signOnThread(batch);
  }

  #signOnThread(batch: readonly PendingToken[]): void {
    this.#pendingBatches++;
    const onBatchEnd = () => {
      if (--this.#pendingBatches === 0) this.#flush();
    };
    this.#thread.request(batch.map(({ unsigned }) => unsigned)).then(
      (tokens) => {
        batch.forEach(({ resolve }, i) => void resolve(tokens[i] as string));
        onBatchEnd();
      },
      () => {
        this.#signInMainThread(batch);
        onBatchEnd();
      },
    );
  }

  #signInMainThread(batch: readonly PendingToken[]): void {
    const { algorithm, key } = this.#key;
    for (const { unsigned, resolve, reject } of batch) {
      try {
        resolve(signJws(algorithm, key, unsigned));
      } catch (error) {
        reject(error);
      }
    }
  }
}
