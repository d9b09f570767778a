import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Database } from '../database.ts';
import { throttle } from '../throttle.ts';
import { isDiskError } from './pool/postgres-errors.ts';
import { queryOnce } from './pool/primary-pool.ts';
import { isReadOnlySql } from './servers/server-state.ts';

interface Parts {
  readonly pool: pg.Pool;
  isPoolFull(): boolean;
  connect(): Promise<pg.PoolClient>;
}

/** The rows need more than `work_mem`, so the server has to write to its disk. */
const spillToDiskSql = "begin; set local work_mem = '64kB'; select count(*) from generate_series(1, 8000); commit";
const responseTimeoutMs = 5000;
const writeIntervalMs = 1000;
/** Shorter than the time limit of a health check. */
const hangMs = 1000;

/** Checks that PostgreSQL accepts writes. The renewal of the lease is a real write every second. */
export function postgresProbes({ pool, isPoolFull: isTaken, connect }: Parts): Database['probes'] {
  const runQuery = (text: string) => queryOnce(connect, { text, query_timeout: responseTimeoutMs });
  /** False: the whole server hangs, not only its disk. The check of the database reports that. */
  const responds = () => {
    const timeout = delay(hangMs, false, { ref: false });
    return Promise.race([runQuery('select').then(() => true), timeout]);
  };
  return {
    async database() {
      const { rows } = await runQuery(`select ${isReadOnlySql} as yes`);
      if (rows[0]?.yes) throw new Error('it accepts no writes');
    },
    disk: throttle(writeIntervalMs, async () => {
      try {
        if (await responds()) await runQuery(spillToDiskSql);
      } catch (error) {
        // The other probes report other errors.
        if (isDiskError(error)) throw error;
      }
    }),
    async pool() {
      if (isTaken()) (await pool.connect()).release();
    },
  };
}
