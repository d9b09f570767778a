import type { Db, Tx } from './db.ts';

/** A change that instances announce to each other, so that each drops what it has cached. */
export interface Change {
  /** `writer`: the caller by this id has written something. */
  readonly kind: 'session' | 'user' | 'client' | 'keys' | 'writer' | 'everything';
  readonly id: string;
}

/** Collects what a transaction changes: every cache forgets it, on every instance, before the write is acknowledged. */
export type Invalidate = (change: Change) => void;

/**
 * The reaction of one part of an instance to a change. From the moment of the call, the part must not use its old state. If it
 * has to read the new state first, its promise resolves after that. It handles its own failures.
 */
export type ChangeListener = (change: Change) => unknown;

/** Tells them all; there is something to wait for only where one of them has to read. */
export function notifyListeners(
  listeners: readonly ChangeListener[],
  changes: readonly Change[],
): Promise<unknown> | undefined {
  const reading: Promise<unknown>[] = [];
  for (const change of changes) {
    for (const listener of listeners) {
      const done = listener(change);
      if (done instanceof Promise) reading.push(done);
    }
  }
  return reading.length > 0 ? Promise.allSettled(reading) : undefined;
}

export interface Bus {
  /** Takes part, now that the tables are there. Until then no cache is usable. */
  join(): Promise<void>;
  /** Says a change inside the transaction that makes it true; nobody hears of it unless that commits. */
  announce(tx: Tx, changes: readonly Change[]): Promise<string>;
  /** After the commit: returns once this instance, and every other that answers from its cache, has been told. */
  settle(announcement: string, changes: readonly Change[]): Promise<void>;
  /** A change is confirmed to its sender after all listeners have finished. */
  subscribe(listener: ChangeListener): void;
  /** Wakes the queues of all instances once the transaction commits, or at once outside of one. Nobody waits for it. */
  wakeQueues(db: Db | Tx): Promise<void>;
  /** Calls the listener when there may be work in the queue. */
  onWake(listener: () => void): void;
  /** A request has come in from outside: it must be answered by nothing that was read before. */
  endSnapshot(): void;
  /** False while changes of other instances may be missed: then nothing may be answered from a cache. */
  cacheUsable(): boolean;
}

/**
 * Runs a transaction and tells every instance what it changed before returning.
 * `invalidate` collects the changes; they are announced in the same transaction, so a crash loses neither or both.
 */
export async function commitAndInvalidate<T>(
  { db, bus }: { db: Db; bus: Bus },
  work: (tx: Tx, invalidate: Invalidate) => Promise<T>,
): Promise<T> {
  const changes: Change[] = [];
  let announcement = '';
  const result = await db.transaction().execute(async (tx) => {
    const value = await work(tx, (change) => changes.push(change));
    if (changes.length > 0) announcement = await bus.announce(tx, changes);
    return value;
  });
  if (changes.length > 0) await bus.settle(announcement, changes);
  return result;
}
