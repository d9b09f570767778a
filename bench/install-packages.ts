import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The peers and the load generator have separate lock files, so that Gatehouse itself installs none of them. */
export function installPackages(folder: 'peers' | '.'): void {
  const cwd = fileURLToPath(new URL(folder, import.meta.url));
  if (existsSync(`${cwd}/node_modules/.package-lock.json`)) return;
  console.log(`Installing ${folder === 'peers' ? 'the servers to compare with' : 'autocannon'} (only the first time)…`);
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`npm ci failed in ${cwd}`);
}
