import { Socket } from 'node:net';
import pg from 'pg';

/** A server that does not answer until then is away. */
const answersWithin = 2000;

export interface ServerState {
  /** Neither a standby nor set to be read alone. */
  readonly takesWrites: boolean;
  /** Grows with each promotion. 0: the server does not tell. */
  readonly timeline: number;
  /** The cluster that the server is a member of. Empty: the server does not tell. */
  readonly system: string;
}

/** True for a standby, and for a server that is set to take no writes. */
export const readsAlone = "pg_is_in_recovery() or current_setting('transaction_read_only') = 'on'";

/** The first part of a log file's name. The control file is late: it is written some time after a promotion. */
const whichTimeline = `
  select system_identifier::text as system,
    ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint as timeline
  from pg_control_system()`;

/** Asks a server what it is, over a connection of its own. Rejects where it does not answer. */
export async function lookAtServer(url: string): Promise<ServerState> {
  const socket = new Socket();
  const client = new pg.Client({
    connectionString: url,
    application_name: 'gatehouse-watch',
    connectionTimeoutMillis: answersWithin,
    stream: () => socket,
  });
  client.on('error', () => undefined);
  // A server that hangs takes connections and says nothing.
  const timer = setTimeout(() => socket.destroy(), answersWithin);
  try {
    await client.connect();
    const { rows } = await client.query<{ yes: boolean }>(`select ${readsAlone} as yes`);
    if (rows[0]?.yes !== false) return { takesWrites: false, timeline: 0, system: '' };
    const told = await client.query<{ system: string; timeline: number }>(whichTimeline).catch(() => undefined);
    const { system, timeline } = told?.rows[0] ?? { system: '', timeline: 0 };
    return { takesWrites: true, system, timeline: Number(timeline) };
  } finally {
    clearTimeout(timer);
    client.end().catch(() => undefined);
    socket.unref();
  }
}
