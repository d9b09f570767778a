import type { Db, Tx } from './db.ts';

/** A change that instances announce to each other, so that each drops what it has cached. */
export interface Change {
  /** `writer`: the caller by this id has written something. */
  readonly kind: 'session' | 'user' | 'client' | 'keys' | 'writer' | 'everything';
  readonly id: string;
}

/** Collects the changes of a transaction. Every instance drops them from its caches before the write is acknowledged. */
export type Invalidate = (change: Change) => void;

/**
 * The reaction of one part of an instance to a change. From the moment of the call, the part must not use its old state. If it
 * has to read the new state first, its promise resolves after that. It handles its own failures.
 */
export type ChangeListener = (change: Change) => unknown;

/** Returns a promise only if a listener has to read. */
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
  /** Call it after the migrations. Before that, no cache is usable. */
  join(): Promise<void>;
  /** Announces changes in their transaction. Listeners are called only if it commits. */
  announce(tx: Tx, changes: readonly Change[]): Promise<string>;
  /** After the commit: returns when this instance and every other that uses its cache have handled the changes. */
  settle(announcement: string, changes: readonly Change[]): Promise<void>;
  /** A change is confirmed to its sender after all listeners have finished. */
  subscribe(listener: ChangeListener): void;
  /** Wakes the queues of all instances when the transaction commits, or at once outside of a transaction. */
  wakeQueues(db: Db | Tx): Promise<void>;
  /** Calls the listener when there may be work in the queue. */
  onWake(listener: () => void): void;
  /** A new request must not see data that was read before it. */
  endSnapshot(): void;
  /** False while this instance may miss changes of others. Then no cache may be used. */
  cacheUsable(): boolean;
}

/** Runs a transaction. Every instance knows its changes before this returns. They are announced in the same transaction. */
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
