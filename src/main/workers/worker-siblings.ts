import type { SharedCounts, Siblings } from '../../database/context.ts';
import { unavailable } from '../../platform/errors.ts';
import type { Counted, FromPrimary, FromWorker } from './messages.ts';

/** Far from a limit, the others may learn of requests a little later: that costs next to nothing. */
const reportEveryMs = 100;
const timeoutMs = 3000;

type Hear = Parameters<SharedCounts['onHeard']>[0];

interface Waiting {
  answer(text: string): void;
}

/** The other workers, as one of them sees them: by way of the primary. */
export class WorkerSiblings implements Siblings {
  readonly #send: (message: FromWorker) => void;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Map<string, Hear>();
  /** By limit, counts that nobody has been told of. */
  readonly #untold = new Map<string, { windowEnds: number; counts: Map<string, number> }>();
  #readFigures: () => Promise<object[]> = async () => [];
  #silent = 0;
  #questions = 0;
  #report: NodeJS.Timeout | undefined;
  #telling: Promise<void> | undefined;

  constructor(send: (message: FromWorker) => void) {
    this.#send = send;
  }

  counts(name: string): SharedCounts {
    return {
      note: (windowEnds, caller) => this.#note(name, windowEnds, caller),
      told: () => this.#tell(),
      onHeard: (hear) => this.#listeners.set(name, hear),
    };
  }

  get silent(): number {
    return this.#silent;
  }

  showFigures(read: () => Promise<object[]>): void {
    this.#readFigures = read;
  }

  async sumFigures(): Promise<string> {
    const text = await this.#ask((question) => ({ is: 'sum', question }));
    if (text === undefined) throw unavailable('The figures of the workers cannot be had now.', 5);
    return text;
  }

  hear(message: FromPrimary): void {
    if (message.is === 'answer') this.#waiting.get(message.question)?.answer(message.text);
    else if (message.is === 'show') void this.#show(message.question);
    else if (message.is === 'silent') this.#silent = message.count;
    else if (message.is === 'counted')
      for (const { name, windowEnds, counts } of message.counted) this.#listeners.get(name)?.(windowEnds, counts);
  }

  async #show(question: number): Promise<void> {
    this.#send({ is: 'figures', question, figures: await this.#readFigures() });
  }

  #note(name: string, windowEnds: number, caller: string): void {
    let untold = this.#untold.get(name);
    if (untold?.windowEnds !== windowEnds) {
      untold = { windowEnds, counts: new Map() };
      this.#untold.set(name, untold);
    }
    untold.counts.set(caller, (untold.counts.get(caller) ?? 0) + 1);
    this.#report ??= setTimeout(() => this.#sendCounts(undefined), reportEveryMs).unref();
  }

  /** Whoever asks in one turn of the event loop shares a message. */
  #tell(): Promise<void> {
    this.#telling ??= new Promise<void>((resolve) => {
      setImmediate(() => {
        this.#telling = undefined;
        void this.#ask((question) => this.#takeCounts(question)).then(() => resolve());
      });
    });
    return this.#telling;
  }

  #sendCounts(question: number | undefined): void {
    this.#send(this.#takeCounts(question));
  }

  #takeCounts(question: number | undefined): FromWorker {
    clearTimeout(this.#report);
    this.#report = undefined;
    const counted: Counted[] = [...this.#untold].map(([name, { windowEnds, counts }]) => ({
      name,
      windowEnds,
      counts: [...counts],
    }));
    this.#untold.clear();
    return { is: 'counted', counted, question };
  }

  /** Undefined where the primary does not answer: nobody waits for it for good. */
  #ask(message: (question: number) => FromWorker): Promise<string | undefined> {
    const question = ++this.#questions;
    return new Promise((resolve) => {
      const end = (text: string | undefined) => {
        clearTimeout(timer);
        this.#waiting.delete(question);
        resolve(text);
      };
      const timer = setTimeout(() => end(undefined), timeoutMs);
      this.#waiting.set(question, { answer: end });
      this.#send(message(question));
    });
  }
}
