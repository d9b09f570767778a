import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { OperatorError } from '../../../platform/errors.ts';
import { withoutCredentials } from '../servers/split-hosts.ts';
import type { DatabaseClock } from './database-clock.ts';
import { oldestVersion, readServer } from './instance-table.ts';

const connectTimeoutMs = 3000;
const responseTimeoutMs = 15_000;

/** The number of statements that are sent to detect a pooler. A pooler could run each of them in another session. */
const rounds = 3;

interface Addresses {
  readonly server: string;
  /** The address for invalidations, if it differs from `server`. */
  readonly listen: string | undefined;
  readonly clock: DatabaseClock;
}

/**
 * Checks at startup that each connection keeps one PostgreSQL session, and that notifications from `server` arrive at `listen`. A
 * transaction pooler shares sessions between connections.
 */
export async function checkInvalidations({ server, listen, clock }: Addresses): Promise<void> {
  const openClients: pg.Client[] = [];
  const open = async (url: string) => {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: responseTimeoutMs,
      application_name: 'gatehouse',
    });
    client.on('error', () => undefined);
    await client.connect();
    openClients.push(client);
    return client;
  };
  try {
    const [sender, receiver] = await Promise.all([open(server), open(listen ?? server)]);
    await readClock(sender, clock);
    if (await shareSession(receiver, listen ? await open(listen) : sender))
      throw new OperatorError(poolerError(server, listen));
    if (listen && !(await receivesNotification(sender, receiver)))
      throw new OperatorError(
        `DATABASE_LISTEN_URL (${withoutCredentials(listen)}) is not the database of DATABASE_URL (${withoutCredentials(server)}). Notifications in one do not reach the other. Set both to the same database, DATABASE_LISTEN_URL without the pooler.`,
      );
  } finally {
    await Promise.all(openClients.map((client) => client.end().catch(() => undefined)));
  }
}

async function readClock(client: pg.Client, clock: DatabaseClock): Promise<void> {
  // The first query of a connection takes long, so the clock is read by the second one.
  await client.query('select 1');
  const sentAt = performance.now();
  const { rows } = await client.query<{ time: number; version: number }>(readServer);
  const { time, version } = rows[0] as { time: number; version: number };
  clock.set({ time, sentAt, receivedAt: performance.now() });
  if (version < oldestVersion) throw new Error('it is older than PostgreSQL 13');
}

async function shareSession(first: pg.Client, second: pg.Client): Promise<boolean> {
  const backendPid = async (client: pg.Client) =>
    (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid;
  const pidsByRound: (number | undefined)[][] = [];
  for (let round = 0; round < rounds; round++) pidsByRound.push([await backendPid(first), await backendPid(second)]);
  const [firstPids] = pidsByRound;
  return pidsByRound.some(([a, b]) => a === b || a !== firstPids?.[0] || b !== firstPids?.[1]);
}

/** PostgreSQL sends pending notifications before it reports a statement as done. A notification that is missing then never arrives. */
async function receivesNotification(sender: pg.Client, receiver: pg.Client): Promise<boolean> {
  const channel = `gatehouse_probe_${randomBytes(8).toString('hex')}`;
  let received = false;
  receiver.on('notification', (message) => {
    received ||= message.channel === channel;
  });
  await receiver.query(`listen ${channel}`);
  await sender.query(`notify ${channel}`);
  await receiver.query('select 1');
  return received;
}

const poolerError = (server: string, listen: string | undefined): string =>
  listen
    ? `DATABASE_LISTEN_URL (${withoutCredentials(listen)}) goes through a transaction pooler (such as PgBouncer with pool_mode = transaction). Such a pooler does not deliver the invalidations of other instances. Name the PostgreSQL server itself.`
    : `DATABASE_URL (${withoutCredentials(server)}) goes through a transaction pooler (such as PgBouncer with pool_mode = transaction). Such a pooler does not deliver the invalidations of other instances, so revoked tokens would stay valid here. Set DATABASE_LISTEN_URL to the PostgreSQL server itself, without the pooler, or use a session pooler (pool_mode = session).`;
