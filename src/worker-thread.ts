import { parentPort, Worker } from 'node:worker_threads';

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

/** Answers come in the order of the questions. */
type Answered = { readonly answer: unknown } | { readonly error: unknown };

/** A thread costs some megabytes, and 40 ms to start. */
const idleMs = 60_000;

/**
 * A thread that answers questions one after another: started at the first one, ended when there was none for a minute.
 * The process may end while it idles, but not while somebody waits for it.
 */
export class WorkerThread<Question, Answer> {
  readonly #script: URL;
  readonly #data: unknown;
  readonly #waiting: Waiting[] = [];
  readonly #idleMs: number;
  #worker: Worker | undefined;
  #ending: NodeJS.Timeout | undefined;

  /** `script` is named without its extension, which is another one after the build; `data` is what it finds as `workerData`. */
  constructor(script: string, beside: string, { patience = idleMs, data }: { patience?: number; data?: unknown } = {}) {
    this.#idleMs = patience;
    this.#data = data;
    this.#script = new URL(`${script}.${beside.endsWith('.ts') ? 'ts' : 'js'}`, beside);
  }

  /** Questions without an answer yet. */
  get load(): number {
    return this.#waiting.length;
  }

  /** Rejects where the thread cannot be started (a limit on threads, a permission) or breaks. */
  ask(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#worker ??= this.#start();
      this.#worker.postMessage(question);
      if (this.#waiting.length === 0) this.#worker.ref();
      this.#waiting.push({ resolve: resolve as (answer: unknown) => void, reject });
    });
  }

  #start(): Worker {
    const worker = new Worker(this.#script, { workerData: this.#data });
    this.#ending = setTimeout(() => this.#endIfIdle(), this.#idleMs).unref();
    worker.on('message', (answered: Answered) => {
      // One that has broken or was ended no longer speaks for the questions that wait now.
      if (this.#worker !== worker) return;
      const waiting = this.#waiting.shift();
      if (this.#waiting.length === 0) {
        worker.unref();
        this.#ending?.refresh();
      }
      if ('answer' in answered) waiting?.resolve(answered.answer);
      else waiting?.reject(answered.error);
    });
    // A thread that breaks takes its questions with it; the next question starts another.
    worker.on('error', (error) => this.#fail(worker, error));
    worker.on('exit', () => this.#fail(worker, new Error('the thread ended')));
    return worker;
  }

  /** Where somebody waits, the answer will set the timer anew. */
  #endIfIdle(): void {
    if (this.#waiting.length > 0) return;
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
  }

  #fail(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    clearTimeout(this.#ending);
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

/** In the script of the thread: what it answers. */
export function answerQuestions<Question, Answer>(answer: (question: Question) => Answer): void {
  parentPort?.on('message', (question: Question) => {
    let answered: Answered;
    try {
      answered = { answer: answer(question) };
    } catch (error) {
      answered = { error };
    }
    parentPort?.postMessage(answered);
  });
}
