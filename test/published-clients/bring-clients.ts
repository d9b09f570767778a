import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../harness/starts.ts';

const run = promisify(execFile);
const folder = join(root, 'node_modules', '.cache', 'published-clients');
const install = ['ci', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/** Installs published clients beside the project's own packages. Undefined where the registry cannot be reached. */
export async function bringClients(): Promise<NodeJS.Require | undefined> {
  const lock = readFileSync(new URL('package-lock.json', import.meta.url), 'utf8');
  const mark = join(folder, 'installed-lock.json');
  const main = join(folder, 'package.json');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return createRequire(main);
  mkdirSync(folder, { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) {
    copyFileSync(new URL(name, import.meta.url), join(folder, name));
  }
  try {
    await run('npm', install, { cwd: folder });
  } catch (error) {
    console.log(`The published clients could not be installed: ${(error as Error).message.slice(0, 500)}`);
    return undefined;
  }
  writeFileSync(mark, lock);
  return createRequire(main);
}
