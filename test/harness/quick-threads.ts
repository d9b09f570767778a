// Preloaded by `npm test` in each test process. The start of a thread takes longer than a hash of the least cost, and a
// service starts two threads for hashes. When a service ends an idle one, the next service gets it.
import { syncBuiltinESMExports } from 'node:module';
import threads, { isMainThread, type WorkerOptions } from 'node:worker_threads';

const { Worker } = threads;
const idle = new Map<string, HashingWorker[]>();

class HashingWorker extends Worker {
  readonly #kind: string;
  #waiting = 0;

  constructor(script: string | URL, options: WorkerOptions | undefined, kind: string) {
    super(script, options);
    this.#kind = kind;
    this.#count();
  }

  #count(): void {
    this.on('message', () => this.#waiting--);
  }

  override postMessage(message: unknown): void {
    this.#waiting++;
    super.postMessage(message);
  }

  override async terminate(): Promise<number> {
    if (this.#waiting > 0) return super.terminate();
    for (const event of ['message', 'error', 'exit']) this.removeAllListeners(event);
    this.#count();
    this.unref();
    idle.set(this.#kind, [...(idle.get(this.#kind) ?? []), this]);
    return 0;
  }
}

if (isMainThread) {
  threads.Worker = new Proxy(Worker, {
    construct(target, [script, options]: [string | URL, WorkerOptions?]) {
      if (!String(script).endsWith('/hashing-thread.ts')) return new target(script, options);
      // A thread reads both when it starts.
      const kind = `${options?.workerData} ${process.env.TEST_REAL_PASSWORDS}`;
      return idle.get(kind)?.pop() ?? new HashingWorker(script, options, kind);
    },
  });
  syncBuiltinESMExports();
}
