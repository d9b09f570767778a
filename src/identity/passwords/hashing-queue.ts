import { unavailable } from '../../platform/errors.ts';

/** Sign-ins go first. Registrations and new passwords can wait longer. */
export type HashingLane = 'sign-in' | 'other';

interface WaitingJob {
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
const maxSignInsInARow = 4;

const queueFull = () =>
  unavailable('Too many sign-ins at the moment. Try again shortly.', 2, 'the password queue is full');

/** Runs a few jobs at a time. Networks take turns. If the queue is full, the network with the most jobs loses its last job. */
export class HashingQueue {
  readonly #limits: Limits;
  readonly #onChange: (jobs: number) => void;
  readonly #lanes: Readonly<Record<HashingLane, FairQueue>> = { 'sign-in': new FairQueue(), other: new FairQueue() };
  #active = 0;
  #signInsInARow = 0;

  constructor(limits: Limits, onChange: (jobs: number) => void = () => undefined) {
    this.#limits = limits;
    this.#onChange = onChange;
  }

  async run<T>(lane: HashingLane, source: string, job: () => Promise<T>): Promise<T> {
    if (this.#active < this.#limits.running) this.#active++;
    // A finished job passes its slot to the next waiting job, so that no new job can take it.
    else await this.#waitForTurn(this.#lanes[lane], source);
    this.#notify();
    try {
      return await job();
    } finally {
      const next = this.#takeNext();
      if (next) next.start();
      else this.#active--;
      this.#notify();
    }
  }

  /** Whether a network without waiting jobs could still sign in. */
  get hasRoom(): boolean {
    const queue = this.#lanes['sign-in'];
    return queue.size < this.#limits.waiting || queue.canMakeRoom;
  }

  #waitForTurn(queue: FairQueue, source: string): Promise<void> {
    if (queue.size >= this.#limits.waiting && !queue.makeRoomFor(source)) throw queueFull();
    return new Promise<void>((resolve, reject) => {
      queue.join(source, { start: resolve, refuse: reject });
      this.#notify();
    });
  }

  #takeNext(): WaitingJob | undefined {
    const { 'sign-in': signIns, other } = this.#lanes;
    const signInFirst = other.size === 0 || this.#signInsInARow < maxSignInsInARow;
    const queue = signIns.size > 0 && signInFirst ? signIns : other;
    this.#signInsInARow = queue === signIns ? this.#signInsInARow + 1 : 0;
    return queue.next();
  }

  #notify(): void {
    this.#onChange(this.#active + this.#lanes['sign-in'].size + this.#lanes.other.size);
  }
}

/** A queue for each source. The sources take turns, in the order in which they came. */
class FairQueue {
  readonly #sources = new Map<string, WaitingJob[]>();
  size = 0;

  join(source: string, waiting: WaitingJob): void {
    const jobs = this.#sources.get(source);
    if (jobs) jobs.push(waiting);
    else this.#sources.set(source, [waiting]);
    this.size++;
  }

  next(): WaitingJob | undefined {
    for (const [source, jobs] of this.#sources) {
      this.#sources.delete(source);
      const waiting = jobs.shift();
      if (jobs.length > 0) this.#sources.set(source, jobs);
      this.size--;
      return waiting;
    }
    return undefined;
  }

  get canMakeRoom(): boolean {
    return this.#sources.values().some((jobs) => jobs.length > 1);
  }

  /** Rejects the last job of the source with the most jobs, unless that is the new job's source. */
  makeRoomFor(source: string): boolean {
    let longest = '';
    let jobs: WaitingJob[] = [];
    for (const [name, candidate] of this.#sources) {
      if (candidate.length > jobs.length) [longest, jobs] = [name, candidate];
    }
    if (jobs.length <= (this.#sources.get(source)?.length ?? 0) + 1) return false;
    jobs.pop()?.refuse(queueFull());
    if (jobs.length === 0) this.#sources.delete(longest);
    this.size--;
    return true;
  }
}
