import { parentPort, Worker } from 'node:worker_threads';

interface PendingRequest {
  resolve(response: unknown): void;
  reject(error: unknown): void;
}

interface RequestMessage<T> {
  readonly id: number;
  readonly content: T;
}

interface ResponseMessage {
  readonly id: number;
  readonly content?: unknown;
  readonly error?: unknown;
}

const defaultIdleMs = 60_000;

/**
 * A thread that handles requests one after another. It starts with the first request and ends after a minute without
 * one. The process can end while the thread is idle, but not while a caller waits for it.
 */
export class WorkerThread<Request, Response> {
  readonly #script: URL;
  readonly #data: unknown;
  readonly #pending = new Map<number, PendingRequest>();
  readonly #idleMs: number;
  #worker: Worker | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #lastId = 0;

  /** `script` has no extension, because the build changes it. The thread reads `data` as `workerData`. */
  constructor(
    script: string,
    moduleUrl: string,
    { idleMs = defaultIdleMs, data }: { idleMs?: number; data?: unknown } = {},
  ) {
    this.#idleMs = idleMs;
    this.#data = data;
    this.#script = new URL(`${script}.${moduleUrl.endsWith('.ts') ? 'ts' : 'js'}`, moduleUrl);
  }

  get load(): number {
    return this.#pending.size;
  }

  /** Rejects if the thread cannot start (a limit on threads, a permission) or crashes. */
  request(request: Request): Promise<Response> {
    return new Promise((resolve, reject) => {
      this.#worker ??= this.#start();
      const id = this.#lastId++;
      this.#worker.postMessage({ id, content: request } satisfies RequestMessage<Request>);
      if (this.#pending.size === 0) this.#worker.ref();
      this.#pending.set(id, { resolve: resolve as (response: unknown) => void, reject });
    });
  }

  /** Ends the thread, even while it works. Waiting callers get an error. */
  async end(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    this.#fail(worker, new Error('the thread was ended'));
    await worker.terminate();
  }

  #start(): Worker {
    const worker = new Worker(this.#script, { workerData: this.#data });
    this.#idleTimer = setTimeout(() => this.#endIfIdle(), this.#idleMs).unref();
    worker.on('message', ({ id, content, error }: ResponseMessage) => {
      const pending = this.#pending.get(id);
      this.#pending.delete(id);
      if (this.#pending.size === 0) {
        worker.unref();
        this.#idleTimer?.refresh();
      }
      if (error === undefined) pending?.resolve(content);
      else pending?.reject(error);
    });
    // A crash rejects the waiting requests. The next request starts another thread.
    worker.on('error', (error) => this.#fail(worker, error));
    worker.on('exit', () => this.#fail(worker, new Error('the thread ended')));
    return worker;
  }

  /** If a caller waits, the response restarts the timer. */
  #endIfIdle(): void {
    if (this.#pending.size > 0) return;
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
  }

  #fail(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    clearTimeout(this.#idleTimer);
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of pending) reject(error);
  }
}

/** For the script of the thread: passes each request to this function and sends its result. */
export function serveRequests<Request, Response>(handle: (request: Request) => Response): void {
  parentPort?.on('message', ({ id, content }: RequestMessage<Request>) => {
    let message: ResponseMessage;
    try {
      message = { id, content: handle(content) };
    } catch (error) {
      message = { id, error };
    }
    parentPort?.postMessage(message);
  });
}
