import type { Db, Tx } from './db.ts';

/** A change that instances announce to each other. Each instance removes the changed entries from its caches. */
export interface Invalidation {
  /** `writer`: the caller with this id has written something. */
  readonly kind: 'session' | 'user' | 'client' | 'keys' | 'writer' | 'everything';
  readonly id: string;
}

/** Collects the changes of a transaction. Every instance removes them from its caches before the write is acknowledged. */
export type Invalidate = (change: Invalidation) => void;

/**
 * Called in each part of an instance for each change. After the call, the part must not use its old state. If it has to read the new state
 * first, it returns a promise that resolves after the read. It handles its own failures.
 */
export type InvalidationListener = (change: Invalidation) => unknown;

/** Returns a promise only if a listener returned one. */
export function notifyListeners(listeners: readonly InvalidationListener[], changes: readonly Invalidation[]) {
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
  announce(tx: Tx, changes: readonly Invalidation[]): Promise<string>;
  /** After the commit: returns when this instance, and every other instance that uses its cache, has handled the changes. */
  settle(announcement: string, changes: readonly Invalidation[]): Promise<void>;
  /** A change is confirmed to its sender after all listeners have finished. */
  subscribe(listener: InvalidationListener): void;
  /** Wakes the queues of all instances when the transaction commits, or at once outside of a transaction. */
  wakeQueues(db: Db | Tx): Promise<void>;
  onWake(listener: () => void): void;
  /** Call it before a new request, so that the request does not read from an older snapshot. */
  endSnapshot(): void;
  /** False while this instance may miss invalidations of others. Then no cache may be used. */
  isCacheUsable(): boolean;
}

/** Runs a transaction and announces its changes in the same transaction. Returns when every instance has handled the changes. */
export async function commitAndInvalidate<T>(
  { db, bus }: { db: Db; bus: Bus },
  work: (tx: Tx, invalidate: Invalidate) => Promise<T>,
): Promise<T> {
  const changes: Invalidation[] = [];
  let announcement = '';
  const result = await db.transaction().execute(async (tx) => {
    const value = await work(tx, (change) => changes.push(change));
    if (changes.length > 0) announcement = await bus.announce(tx, changes);
    return value;
  });
  if (changes.length > 0) await bus.settle(announcement, changes);
  return result;
}
