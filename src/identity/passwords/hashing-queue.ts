import { unavailable } from '../../platform/errors.ts';

/** Logins go first. Registrations and new passwords can wait a little longer. */
export type Lane = 'sign-in' | 'other';

interface Waiting {
  start(): void;
  refuse(error: Error): void;
}

interface Limits {
  /** Jobs that run at a time. */
  readonly running: number;
  /** Jobs that may wait, in each lane. */
  readonly waiting: number;
}

/** So many sign-ins go first for one job of the other lane, which therefore never waits for good. */
const signInsFirst = 4;

const full = () => unavailable('Too many sign-ins at the moment. Try again shortly.', 2, 'the password queue is full');

/** Runs a few jobs at a time. Networks take turns, and if the queue is full, the longest line loses its last job. */
export class HashingQueue {
  readonly #limits: Limits;
  readonly #changed: (jobs: number) => void;
  readonly #lanes: Readonly<Record<Lane, FairLine>> = { 'sign-in': new FairLine(), other: new FairLine() };
  #active = 0;
  #signInsInARow = 0;

  constructor(limits: Limits, changed: (jobs: number) => void = () => undefined) {
    this.#limits = limits;
    this.#changed = changed;
  }

  async run<T>(lane: Lane, source: string, job: () => Promise<T>): Promise<T> {
    if (this.#active < this.#limits.running) this.#active++;
    // A leaving waiter hands over its place, so that no newcomer takes it.
    else await this.#turn(this.#lanes[lane], source);
    this.#notify();
    try {
      return await job();
    } finally {
      const next = this.#next();
      if (next) next.start();
      else this.#active--;
      this.#notify();
    }
  }

  /** Whether somebody who has nothing in it could sign in. */
  get hasRoom(): boolean {
    const line = this.#lanes['sign-in'];
    return line.size < this.#limits.waiting || line.canMakeRoom;
  }

  #turn(line: FairLine, source: string): Promise<void> {
    if (line.size >= this.#limits.waiting && !line.makeRoomFor(source)) throw full();
    return new Promise<void>((resolve, reject) => {
      line.join(source, { start: resolve, refuse: reject });
      this.#notify();
    });
  }

  #next(): Waiting | undefined {
    const { 'sign-in': signIns, other } = this.#lanes;
    const signInFirst = other.size === 0 || this.#signInsInARow < signInsFirst;
    const line = signIns.size > 0 && signInFirst ? signIns : other;
    this.#signInsInARow = line === signIns ? this.#signInsInARow + 1 : 0;
    return line.next();
  }

  #notify(): void {
    this.#changed(this.#active + this.#lanes['sign-in'].size + this.#lanes.other.size);
  }
}

/** One line for each source; the sources take turns, in the order in which they came. */
class FairLine {
  readonly #sources = new Map<string, Waiting[]>();
  size = 0;

  join(source: string, waiting: Waiting): void {
    const line = this.#sources.get(source);
    if (line) line.push(waiting);
    else this.#sources.set(source, [waiting]);
    this.size++;
  }

  next(): Waiting | undefined {
    for (const [source, line] of this.#sources) {
      this.#sources.delete(source);
      const waiting = line.shift();
      if (line.length > 0) this.#sources.set(source, line);
      this.size--;
      return waiting;
    }
    return undefined;
  }

  get canMakeRoom(): boolean {
    return this.#sources.values().some((line) => line.length > 1);
  }

  /** Refuses the last of the longest line, unless that is the newcomer's own. */
  makeRoomFor(source: string): boolean {
    let [longest, line] = ['', [] as Waiting[]];
    for (const [name, candidate] of this.#sources) {
      if (candidate.length > line.length) [longest, line] = [name, candidate];
    }
    if (line.length <= (this.#sources.get(source)?.length ?? 0) + 1) return false;
    line.pop()?.refuse(full());
    if (line.length === 0) this.#sources.delete(longest);
    this.size--;
    return true;
  }
}
