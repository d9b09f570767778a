import type pg from 'pg';
import type { Database } from '../database.ts';

type Run = <R>(text: string, values: readonly unknown[]) => Promise<R[]>;

const readsAlone = "select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as yes";

/** Whether PostgreSQL takes writes. That it really does is shown each second by the lease, whose renewal is a write. */
export function postgresProbes(pool: pg.Pool, size: number, run: Run): Database['probes'] {
  const isTaken = () => pool.totalCount >= size && pool.idleCount === 0;
  return {
    async database() {
      // Then it is the pool that does not answer.
      if (isTaken()) return;
      const [row] = await run<{ yes: boolean }>(readsAlone, []);
      if (row?.yes) throw new Error('it takes no writes');
    },
    async pool() {
      if (isTaken()) (await pool.connect()).release();
    },
  };
}
