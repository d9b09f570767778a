// Statements about the listening instances, as plain SQL, because the listening connection has no query builder.

const clock = '(extract(epoch from clock_timestamp()) * 1000)::float8 as time';

export interface ClockRow {
  readonly time: number;
  readonly renewals: number;
}

export interface InstanceRow {
  readonly id: string;
  /** The snapshot that was visible when the instance started to cache. */
  readonly snapshot: string;
  readonly renewals: number;
}

/** Also reads the version: the statements in this file need PostgreSQL 13. */
export const readServer = `select ${clock}, current_setting('server_version_num')::int as version`;
export const oldestVersion = 130_000;

/** $1: the new id. $2: earlier ids of this process. */
export const registerInstance = `
  with gone as (delete from instances where id = any($2))
  insert into instances (id, snapshot, renewals) values ($1, pg_current_snapshot()::text, 0) returning renewals, ${clock}`;

/** Returns no row if another instance has removed this one as silent. */
export const renewInstance = `update instances set renewals = renewals + 1 where id = $1 returning renewals, ${clock}`;

export const listInstances = 'select id, snapshot, renewals from instances';

export const findInstance = 'select id from instances where id = $1';

/** $1: ids. $2: the number of renewals at which each instance stopped. */
export const removeSilentInstances = `
  delete from instances using unnest($1::text[], $2::bigint[]) as silent (id, renewals)
  where instances.id = silent.id and instances.renewals = silent.renewals`;

export const removeInstances = 'delete from instances where id = any($1)';

/** Whether a transaction had ended when the snapshot was taken (`xmin:xmax:xip,xip`). */
export function isVisibleIn(snapshot: string, transaction: bigint): boolean {
  const [xmin = '', xmax = '', inProgress = ''] = snapshot.split(':');
  if (transaction < BigInt(xmin)) return true;
  return transaction < BigInt(xmax) && !inProgress.split(',').includes(String(transaction));
}
