import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../harness/starts.ts';

const run = promisify(execFile);
const folder = join(root, 'node_modules', '.cache', 'generators');
const files = ['package.json', 'package-lock.json'];

/**
 * Installs the client generators if necessary, and returns their folder. Undefined if the registry is unreachable. They
 * have hundreds of packages, so they are not part of the normal installation.
 */
export async function bringGenerators(): Promise<string | undefined> {
  const lock = readFileSync(new URL('package-lock.json', import.meta.url), 'utf8');
  const mark = join(folder, 'installed-lock.json');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return folder;
  mkdirSync(folder, { recursive: true });
  for (const name of files) copyFileSync(new URL(name, import.meta.url), join(folder, name));
  try {
    await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder });
  } catch (error) {
    console.log(`The generators could not be installed: ${(error as Error).message.slice(0, 500)}`);
    return undefined;
  }
  writeFileSync(mark, lock);
  return folder;
}
