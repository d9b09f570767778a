import type pg from 'pg';
import { unavailable } from '../../../platform/errors.ts';
import type { PrimaryPool } from './primary-pool.ts';

/** Connections beside the pool that are opened only while all of it are taken. */
export const reserveSize = 2;

/** A pool in which nothing has moved for so long does not serve: nobody else begins to wait for it. */
const stuckMs = 1000;
/** A request that comes later would wait for each connection of the pool in vain. */
const mostWaiting = 100;

/** The pool for all, and what is kept for the service's own questions: who is calling, and whether it is well. */
export interface Reserve {
  /** For what anybody asks for. Fails at once where it would wait in vain. */
  readonly all: PrimaryPool;
  /** Of the pool while it has one to give, else of the reserve. */
  readonly own: Pick<PrimaryPool, 'connect'>;
  isTaken(): boolean;
}

export function withReserve(main: PrimaryPool, reserve: PrimaryPool, size: number): Reserve {
  const { pool } = main;
  let moved = performance.now();
  const move = () => {
    moved = performance.now();
  };
  pool.on('acquire', move);
  pool.on('release', move);
  const isTaken = () => pool.totalCount >= size && pool.idleCount === 0;
  const isStuck = () => isTaken() && pool.waitingCount > 0 && performance.now() - moved > stuckMs;
  const connect = async (): Promise<pg.PoolClient> => {
    if (isStuck() || pool.waitingCount >= mostWaiting * size) throw exhausted();
    return main.connect();
  };
  return {
    all: { ...main, connect },
    own: { connect: () => (isTaken() ? reserve : main).connect() },
    isTaken,
  };
}

const exhausted = () =>
  unavailable('The database has no free connection at the moment. Try again shortly.', 1, 'the pool is exhausted');
