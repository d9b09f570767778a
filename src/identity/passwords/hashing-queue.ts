import { unavailable } from '../../platform/errors.ts';

/** Sign-ins go first. Registrations and new passwords can wait longer. */
export type HashingLane = 'sign-in' | 'other';

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

/** After this number of sign-ins, one job of the other lane runs, so that it never waits forever. */
const signInsFirst = 4;

const full = () => unavailable('Too many sign-ins at the moment. Try again shortly.', 2, 'the password queue is full');

/** Runs a few jobs at a time. Networks take turns. If the queue is full, the network with the most jobs loses its last job. */
export class HashingQueue {
  readonly #limits: Limits;
  readonly #changed: (jobs: number) => void;
  readonly #lanes: Readonly<Record<HashingLane, FairQueue>> = { 'sign-in': new FairQueue(), other: new FairQueue() };
  #active = 0;
  #signInsInARow = 0;

  constructor(limits: Limits, changed: (jobs: number) => void = () => undefined) {
    this.#limits = limits;
    this.#changed = changed;
  }

  async run<T>(lane: HashingLane, source: string, job: () => Promise<T>): Promise<T> {
    if (this.#active < this.#limits.running) this.#active++;
    // A finished job passes its slot to the next waiting job, so that no new job can take it.
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

  /** Whether a network without waiting jobs could still sign in. */
  get hasRoom(): boolean {
    const line = this.#lanes['sign-in'];
    return line.size < this.#limits.waiting || line.canMakeRoom;
  }

  #turn(line: FairQueue, source: string): Promise<void> {
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

/** A queue for each source. The sources take turns, in the order in which they came. */
class FairQueue {
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

  /** Rejects the last job of the source with the most jobs, unless that is the new job's source. */
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
