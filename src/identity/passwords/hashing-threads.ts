import { WorkerThread } from '../../platform/worker-thread.ts';
import type { HashingPriority, HashingQuestion } from './hashing-thread.ts';

type Thread = Pick<WorkerThread<HashingQuestion, string | boolean>, 'ask' | 'load' | 'end'>;

/** Of the time that a thread takes for one password, how much the last one counts. */
const newest = 0.5;
/** A thread that was slow is tried again after a while: each password that it is not asked for makes it seem quicker. */
const forgiving = 0.95;

const startThread = (priority: HashingPriority): Thread =>
  new WorkerThread('hashing-thread', import.meta.url, { data: priority });

/**
 * Threads that hash passwords. All but the first give way to everything else on the machine, so that a storm of sign-ins slows
 * nothing else down. The first does not: however busy the machine is, a sign-in gets its share. Each password goes to the
 * thread that will probably be done with it first.
 */
export class HashingThreads {
  readonly #threads: { readonly thread: Thread; ms: number }[];

  constructor(count: number, start: (priority: HashingPriority) => Thread = startThread) {
    this.#threads = Array.from({ length: count }, (_, n) => ({
      thread: start(n === 0 ? 'normal' : 'gives way'),
      ms: 1,
    }));
  }

  async ask<T extends string | boolean>(question: HashingQuestion): Promise<T> {
    const expected = ({ thread, ms }: { thread: Thread; ms: number }) => (thread.load + 1) * ms;
    const quickest = this.#threads.reduce((a, b) => (expected(b) < expected(a) ? b : a));
    for (const other of this.#threads) if (other !== quickest) other.ms *= forgiving;
    const before = quickest.thread.load;
    const begun = performance.now();
    const answer = await quickest.thread.ask(question);
    const each = (performance.now() - begun) / (before + 1);
    quickest.ms = quickest.ms * (1 - newest) + each * newest;
    return answer as T;
  }

  async end(): Promise<void> {
    await Promise.all(this.#threads.map(({ thread }) => thread.end()));
  }
}
