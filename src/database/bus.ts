import type { Db, Tx } from './db.ts';

/** A change that instances announce to each other. Each instance removes the changed entries from its caches. */
export interface Invalidation {
  /** `writer`: the caller with this id has written something. */
  readonly kind: 'session' | 'user' | 'client' | 'keys' | 'writer' | 'everything';
  readonly id: string;
}

/** Each instance clears its caches. */
export const everything: Invalidation = { kind: 'everything', id: '' };

/** Collects the invalidations of a transaction. Every instance applies them to its caches before the write is acknowledged. */
export type Invalidate = (invalidation: Invalidation) => void;

/**
 * Called in each part of an instance for each invalidation. After the call, the part must not use its old state. If it has to read the
 * new state first, it returns a promise that resolves after the read. It handles its own failures.
 */
export type InvalidationListener = (invalidation: Invalidation) => unknown;

/** Returns a promise only if a listener returned one. */
export function notifyListeners(listeners: readonly InvalidationListener[], invalidations: readonly Invalidation[]) {
  const pending: Promise<unknown>[] = [];
  for (const invalidation of invalidations) {
    for (const listener of listeners) {
      const result = listener(invalidation);
      if (result instanceof Promise) pending.push(result);
    }
  }
  return pending.length > 0 ? Promise.allSettled(pending) : undefined;
}

export interface Bus {
  /** Call it after the migrations. Before that, no cache is usable. */
  join(): Promise<void>;
  /** Announces invalidations in their transaction. Listeners are called only if it commits. */
  announce(tx: Tx, invalidations: readonly Invalidation[]): Promise<string>;
  /** After the commit: returns when this instance, and every other instance that uses its cache, has handled the invalidations. */
  settle(announcement: string, invalidations: readonly Invalidation[]): Promise<void>;
  /** An invalidation is confirmed to its sender after all listeners have finished. */
  subscribe(listener: InvalidationListener): void;
  /** Wakes the queues of all instances when the transaction commits, or at once outside of a transaction. */
  wakeQueues(db: Db | Tx): Promise<void>;
  onWake(listener: () => void): void;
  /** Call it before a new request, so that the request does not read from an older snapshot. */
  endSnapshot(): void;
  /** False while this instance may miss invalidations of others. Then no cache may be used. */
  isCacheUsable(): boolean;
}

/**
 * Runs a transaction and announces its invalidations in the same transaction. Returns when every instance has handled them. `start` may
 * delay the transaction.
 */
export async function commitAndInvalidate<T>(
  { db, bus }: { db: Db; bus: Bus },
  work: (tx: Tx, invalidate: Invalidate) => Promise<T>,
  start: (transaction: () => Promise<T>) => Promise<T> = (transaction) => transaction(),
): Promise<T> {
  const invalidations: Invalidation[] = [];
  let announcement = '';
  const result = await start(() =>
    db.transaction().execute(async (tx) => {
      const value = await work(tx, (invalidation) => invalidations.push(invalidation));
      if (invalidations.length > 0) announcement = await bus.announce(tx, invalidations);
      return value;
    }),
  );
  if (invalidations.length > 0) await bus.settle(announcement, invalidations);
  return result;
}
