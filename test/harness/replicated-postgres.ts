import pg from 'pg';
import { createPostgres, createStandby, type PostgresServer } from './postgres-server.ts';

/** A primary whose commits wait for a standby. */
export interface ReplicatedPostgres {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
  /** Names both hosts. */
  readonly url: string;
  /** The standby that must have a write before it is acknowledged. There is one named "standby". */
  waitFor(name: string): Promise<void>;
  /** Promotes the standby. */
  promote(): Promise<void>;
  remove(): Promise<void>;
}

/** `synchronous`: a write is acknowledged when the standby has it. */
export async function createReplicatedPostgres({ synchronous = true } = {}): Promise<ReplicatedPostgres> {
  const primary = await createPostgres();
  const standby = await createStandby(primary);
  while ((await onServer(primary, 'select 1 from pg_stat_replication')).length === 0) await soon();
  const waitFor = async (name: string) => {
    await onServer(primary, `alter system set synchronous_standby_names = '${name}'`);
    await onServer(primary, 'select pg_reload_conf()');
    const wanted = name === 'standby' ? 'sync' : 'async';
    const state = async () => (await onServer(primary, 'select sync_state from pg_stat_replication'))[0]?.sync_state;
    while ((await state()) !== wanted) await soon();
  };
  if (synchronous) await waitFor('standby');
  const { host } = new URL(standby.url);
  return {
    primary,
    standby,
    waitFor,
    url: primary.url.replace(/(:\d+)\//, `$1,${host}/`),
    async promote() {
      await onServer(standby, 'select pg_promote()');
    },
    async remove() {
      await standby.stop();
      await primary.remove();
    },
  };
}

const soon = () => new Promise((resolve) => setTimeout(resolve, 20));

export async function onServer({ url }: { url: string }, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
