import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';

const folders = ['/usr/sbin', '/usr/bin', '/usr/local/bin', '/usr/local/sbin', '/opt/homebrew/bin'];
const find = (name: string): string | undefined =>
  folders.map((folder) => join(folder, name)).find((path) => existsSync(path));

/** Undefined if no MariaDB is installed. The npm registry has no binaries of it. */
export const mariadbInstalled = (): boolean =>
  find('mariadbd') !== undefined && find('mariadb-install-db') !== undefined;

export interface MariadbServer {
  readonly url: string;
  remove(): Promise<void>;
}

/** A separate MariaDB in a temporary folder, on loopback. */
export async function startMariadb(): Promise<MariadbServer> {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-mariadb-'));
  const asRoot = process.getuid?.() === 0 ? ['--user=root'] : [];
  const data = join(dir, 'data');
  execFileSync(
    find('mariadb-install-db') as string,
    ['--no-defaults', `--datadir=${data}`, '--skip-test-db', ...asRoot],
    {
      stdio: 'ignore',
    },
  );
  const port = await freePort();
  const options = [`--datadir=${data}`, `--port=${port}`, '--bind-address=127.0.0.1', `--socket=${join(dir, 's')}`];
  const speed = ['--skip-grant-tables', '--innodb-flush-log-at-trx-commit=0', '--innodb-buffer-pool-size=64M'];
  const server = spawn(find('mariadbd') as string, ['--no-defaults', ...options, ...speed, ...asRoot], {
    stdio: 'ignore',
  });
  process.once('exit', () => server.kill('SIGKILL'));
  const url = `mysql://root@127.0.0.1:${port}`;
  await responses(url, server);
  return {
    url,
    async remove() {
      const ended = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGTERM');
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function responses(url: string, server: ChildProcess): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      const connection = await createConnection(url);
      return await connection.end();
    } catch (error) {
      if (attempt > 600 || server.exitCode !== null) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
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
