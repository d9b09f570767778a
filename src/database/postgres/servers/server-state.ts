import { Socket } from 'node:net';
import pg from 'pg';

/** After this time without a response, the server counts as unreachable. */
const responseTimeoutMs = 2000;

export interface ServerState {
  /** False for a standby and for a read-only server. */
  readonly isWritable: boolean;
  /** Grows with each promotion. 0: unknown. */
  readonly timeline: number;
  /** The identifier of the server's cluster. Empty: unknown. */
  readonly system: string;
}

export const isReadOnlySql = "pg_is_in_recovery() or current_setting('transaction_read_only') = 'on'";

/** The timeline from the name of the current WAL file. The control file is updated only some time after a promotion. */
const timelineSql = `
  select system_identifier::text as system,
    ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint as timeline
  from pg_control_system()`;

/** Reads the state of a server over a separate connection. Rejects if the server does not respond. */
export async function readServerState(url: string): Promise<ServerState> {
  const socket = new Socket();
  const client = new pg.Client({
    connectionString: url,
    application_name: 'gatehouse-watch',
    connectionTimeoutMillis: responseTimeoutMs,
    stream: () => socket,
  });
  client.on('error', () => undefined);
  // A server that hangs still accepts connections.
  const timer = setTimeout(() => socket.destroy(), responseTimeoutMs);
  try {
    await client.connect();
    const { rows } = await client.query<{ yes: boolean }>(`select ${isReadOnlySql} as yes`);
    if (rows[0]?.yes !== false) return { isWritable: false, timeline: 0, system: '' };
    const result = await client.query<{ system: string; timeline: number }>(timelineSql).catch(() => undefined);
    const { system, timeline } = result?.rows[0] ?? { system: '', timeline: 0 };
    return { isWritable: true, system, timeline: Number(timeline) };
  } finally {
    clearTimeout(timer);
    client.end().catch(() => undefined);
    socket.unref();
  }
}
