import { Worker } from 'node:worker_threads';
import type { BcryptAnswer, BcryptQuestion } from './bcrypt-worker.ts';

interface Waiting {
  resolve(right: boolean): void;
  reject(error: Error): void;
}

const waiting = new Map<number, Waiting>();
let worker: Worker | undefined;
let asked = 0;

/**
 * Whether a bcrypt hash is of this password. The platform has no bcrypt, and in JavaScript it takes a tenth of a second of
 * computing: so it is done in a thread of its own, started when the first such hash is met.
 */
export function matchesBcrypt(password: string, hash: string): Promise<boolean> {
  worker ??= startWorker();
  const id = asked++;
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  waiting.set(id, { resolve, reject });
  // The process may end while the thread idles, but not while somebody waits for it.
  worker.ref();
  worker.postMessage({ id, password, hash } satisfies BcryptQuestion);
  return promise;
}

function startWorker(): Worker {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const started = new Worker(new URL(`bcrypt-worker.${extension}`, import.meta.url));
  started.on('message', ({ id, right }: BcryptAnswer) => {
    waiting.get(id)?.resolve(right);
    waiting.delete(id);
    if (waiting.size === 0) started.unref();
  });
  started.on('error', (error) => {
    worker = undefined;
    for (const { reject } of waiting.values()) reject(error as Error);
    waiting.clear();
  });
  return started;
}
