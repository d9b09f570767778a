import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));

/** The peers and the load generator have a separate lock file, so that Gatehouse itself installs none of them. */
export function installPackages(): void {
  if (existsSync(`${here}/node_modules/.package-lock.json`)) return;
  console.log('Installing the servers to compare with (only the first time)…');
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: here,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error('npm ci failed in bench/');
}
