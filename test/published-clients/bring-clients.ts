import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../harness/starts.ts';

const run = promisify(execFile);
const cache = join(root, 'node_modules', '.cache', 'published-clients');
const install = ['ci', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

const here = new URL('.', import.meta.url);

/**
 * Installs the packages of a folder beside the project's own packages. Undefined where the registry cannot be reached. Two test files
 * may do so at the same time: each installs into a folder of its own, and the first to finish gives it its name.
 */
export async function bringClients(from = here): Promise<NodeJS.Require | undefined> {
  const lock = readFileSync(new URL('package-lock.json', from));
  const folder = join(cache, createHash('sha256').update(lock).digest('hex').slice(0, 16));
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true });
    const own = mkdtempSync(join(cache, 'installing-'));
    try {
      for (const name of ['package.json', 'package-lock.json']) {
        copyFileSync(new URL(name, from), join(own, name));
      }
      await run('npm', install, { cwd: own });
      if (!existsSync(folder)) renameSync(own, folder);
    } catch (error) {
      if (!existsSync(folder)) {
        console.log(`The packages could not be installed: ${(error as Error).message.slice(0, 500)}`);
        return undefined;
      }
    } finally {
      rmSync(own, { recursive: true, force: true });
    }
  }
  return createRequire(join(folder, 'package.json'));
}
