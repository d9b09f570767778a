import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import pg from 'pg';

/** The path on Debian, unless the environment names another. */
const program = process.env.PGBOUNCER ?? '/usr/sbin/pgbouncer';
export const hasPgBouncer = existsSync(program);

/**
 * Starts poolers in front of a PostgreSQL, and ends them after the current suite. Returns the address of the database
 * through a pooler.
 */
export function pgBouncers(): (databaseUrl: string, mode: 'transaction' | 'session') => Promise<string> {
  const ends: (() => Promise<void>)[] = [];
  after(async () => {
    for (const end of ends) await end();
  });
  return async (databaseUrl, mode) => {
    const { url, end } = await startPgBouncer(databaseUrl, mode);
    ends.push(end);
    return url;
  };
}

interface PgBouncer {
  readonly url: string;
  /** Kills the pooler, and starts it again at the same address. */
  restart(): Promise<void>;
  end(): Promise<void>;
}

export async function startPgBouncer(databaseUrl: string, mode: 'transaction' | 'session'): Promise<PgBouncer> {
  const { hostname, port, username } = new URL(databaseUrl);
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-pgbouncer-'));
  // PgBouncer refuses to run as root.
  const asNobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  if (asNobody.uid) chownSync(dir, asNobody.uid, asNobody.gid);
  const own = await freePort();
  const file = join(dir, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${port} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = 4
max_client_conn = 200
`,
  );
  const url = new URL(databaseUrl);
  url.port = String(own);
  const spawned = () => spawn(program, [file], { ...asNobody, stdio: 'ignore' });
  let child = spawned();
  process.once('exit', () => child.kill('SIGKILL'));
  await responses(url.href, child);
  const stop = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  return {
    url: url.href,
    async restart() {
      await stop('SIGKILL');
      child = spawned();
      await responses(url.href, child);
    },
    async end() {
      await stop('SIGTERM');
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function responses(url: string, child: ChildProcess): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (attempt > 200 || child.exitCode !== null) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
