import type pg from 'pg';
import { unavailable } from '../../../platform/errors.ts';
import type { PrimaryPool } from './primary-pool.ts';

/** The number of extra connections. They are opened only while the whole pool is in use. */
export const reserveSize = 2;

/** If no connection of the pool was acquired or released for this long, further requests fail at once. */
const stuckMs = 1000;
const maxWaitingPerConnection = 100;

/** The pool for all requests, and connections for the service's own queries: token checks and health checks. */
export function withReserve(main: PrimaryPool, reserve: PrimaryPool, size: number) {
  const { pool } = main;
  let lastActivityAt = performance.now();
  const recordActivity = () => {
    lastActivityAt = performance.now();
  };
  pool.on('acquire', recordActivity);
  pool.on('release', recordActivity);
  const isFull = () => pool.totalCount >= size && pool.idleCount === 0;
  const isStuck = () => isFull() && pool.waitingCount > 0 && performance.now() - lastActivityAt > stuckMs;
  const connect = async (): Promise<pg.PoolClient> => {
    if (isStuck() || pool.waitingCount >= maxWaitingPerConnection * size) throw exhausted();
    return main.connect();
  };
  return {
    /** For all requests. Fails at once if waiting would be pointless. */
    requestPool: { ...main, connect } satisfies PrimaryPool,
    /** Uses the pool while it has a free connection, otherwise the reserve. */
    reserved: { connect: () => (isFull() ? reserve : main).connect() },
    isFull,
  };
}

const exhausted = () =>
  unavailable('The database has no free connection at the moment. Try again shortly.', 1, 'the pool is exhausted');
