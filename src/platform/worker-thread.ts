import { parentPort, Worker } from 'node:worker_threads';

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

interface Numbered<T> {
  readonly id: number;
  readonly content: T;
}

interface Answered {
  readonly id: number;
  readonly content?: unknown;
  readonly error?: unknown;
}

const defaultIdleMs = 60_000;

/**
 * A thread that answers questions one after another. It starts with the first question and ends after a minute without one.
 * The process can end while the thread is idle, but not while a caller waits for it.
 */
export class WorkerThread<Question, Answer> {
  readonly #script: URL;
  readonly #data: unknown;
  readonly #waiting = new Map<number, Waiting>();
  readonly #idleMs: number;
  #worker: Worker | undefined;
  #ending: NodeJS.Timeout | undefined;
  #asked = 0;

  /** `script` has no extension, because the build changes it. The thread reads `data` as `workerData`. */
  constructor(
    script: string,
    beside: string,
    { idleMs = defaultIdleMs, data }: { idleMs?: number; data?: unknown } = {},
  ) {
    this.#idleMs = idleMs;
    this.#data = data;
    this.#script = new URL(`${script}.${beside.endsWith('.ts') ? 'ts' : 'js'}`, beside);
  }

  get load(): number {
    return this.#waiting.size;
  }

  /** Rejects if the thread cannot start (a limit on threads, a permission) or crashes. */
  request(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#worker ??= this.#start();
      const id = this.#asked++;
      this.#worker.postMessage({ id, content: question } satisfies Numbered<Question>);
      if (this.#waiting.size === 0) this.#worker.ref();
      this.#waiting.set(id, { resolve: resolve as (answer: unknown) => void, reject });
    });
  }

  /** Ends the thread, whatever it is doing. Waiting callers get an error. */
  async end(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    this.#fail(worker, new Error('the thread was ended'));
    await worker.terminate();
  }

  #start(): Worker {
    const worker = new Worker(this.#script, { workerData: this.#data });
    this.#ending = setTimeout(() => this.#endIfIdle(), this.#idleMs).unref();
    worker.on('message', ({ id, content, error }: Answered) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) {
        worker.unref();
        this.#ending?.refresh();
      }
      if (error === undefined) waiting?.resolve(content);
      else waiting?.reject(error);
    });
    // A crash rejects the waiting questions. The next question starts another thread.
    worker.on('error', (error) => this.#fail(worker, error));
    worker.on('exit', () => this.#fail(worker, new Error('the thread ended')));
    return worker;
  }

  /** If a caller waits, the answer restarts the timer. */
  #endIfIdle(): void {
    if (this.#waiting.size > 0) return;
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
  }

  #fail(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    clearTimeout(this.#ending);
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(error);
  }
}

/** For the script of the thread: answers each question with this function. */
export function serveRequests<Question, Answer>(answer: (question: Question) => Answer): void {
  parentPort?.on('message', ({ id, content }: Numbered<Question>) => {
    let answered: Answered;
    try {
      answered = { id, content: answer(content) };
    } catch (error) {
      answered = { id, error };
    }
    parentPort?.postMessage(answered);
  });
}
