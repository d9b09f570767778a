import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import type { ServerProcess } from './server-process.ts';

/** The unit of `utime` and `stime` in /proc on Linux. */
const ticksPerSecond = 100;

/** Processor seconds of each process including its threads, by process id. */
export type Spent = ReadonlyMap<number, number>;

/** The processor time of a service and of its PostgreSQL. */
export async function spentBy({ pid, databaseUrl }: ServerProcess): Promise<{ service: Spent; database: Spent }> {
  return {
    service: spent(family(pid)),
    database: spent(databaseUrl?.startsWith('postgres') ? await postgresProcesses(databaseUrl) : []),
  };
}

/** Processor seconds between two readings. A process that started in between counts with all of its time. */
export function spentSince(before: Spent, after: Spent): number {
  let sum = 0;
  for (const [pid, seconds] of after) sum += seconds - (before.get(pid) ?? 0);
  return sum;
}

const spent = (processes: readonly number[]): Spent =>
  new Map(processes.map((pid) => [pid, ticksOf(pid) / ticksPerSecond]));

function ticksOf(pid: number): number {
  try {
    // The name in parentheses may contain any character.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return 0; // The process has ended, or the system has no /proc.
  }
}

/** The process and its children: the workers of a service. */
function family(pid: number): number[] {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    const children = tasks.flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' '));
    return [pid, ...children.filter(Boolean).map(Number)];
  } catch {
    return [pid];
  }
}

/** The PostgreSQL processes on this machine: those of this database, and those of the whole server. */
async function postgresProcesses(databaseUrl: string): Promise<number[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>(
    'select pid from pg_stat_activity where pid <> pg_backend_pid() and (datname is null or datname = current_database())',
  );
  await client.end();
  return rows.map(({ pid }) => pid);
}
