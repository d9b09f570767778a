import { readFileSync } from 'node:fs';
import pg from 'pg';

/** Of `utime` and `stime` in /proc: Linux says so for every machine of today. */
const ticksPerSecond = 100;

/** Seconds of processor time that processes have had so far, all their threads together; 0 where the system does not say. */
export const processorTime = (processes: readonly number[]): number =>
  processes.reduce((sum, process) => sum + ticksOf(process) / ticksPerSecond, 0);

function ticksOf(process: number): number {
  try {
    // The name in parentheses may hold anything.
    const fields = readFileSync(`/proc/${process}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return 0; // it has ended, or there is no /proc
  }
}

/** The processes of a PostgreSQL on this machine: of its connections, and those that write for all. */
export async function postgresProcesses(url: string): Promise<number[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>(
    'select pid from pg_stat_activity where pid <> pg_backend_pid()',
  );
  await client.end();
  return rows.map(({ pid }) => pid);
}
