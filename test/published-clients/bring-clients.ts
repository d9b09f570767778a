import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { root } from '../harness/starts.ts';

const run = promisify(execFile);
const cache = join(root, 'node_modules', '.cache', 'published-clients');
const install = ['ci', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

const here = new URL('.', import.meta.url);

/** An installation takes a minute on a busy machine. An older lock was left by a killed test. */
const lockMs = 5 * 60_000;

/** True for the one test file that installs. False for the others, after the installation. */
async function takeLock(lock: string): Promise<boolean> {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    for (let made = statSync(lock, { throwIfNoEntry: false }); made; made = statSync(lock, { throwIfNoEntry: false })) {
      if (Date.now() - made.mtimeMs > lockMs) {
        rmSync(lock, { recursive: true, force: true });
        return takeLock(lock);
      }
      await setTimeout(200);
    }
    return false;
  }
}

/**
 * Installs the packages of a folder beside the project's packages, once for all test files. Undefined if the registry
 * is unreachable.
 */
export async function bringClients(from = here): Promise<NodeJS.Require | undefined> {
  const list = readFileSync(new URL('package-lock.json', from));
  const folder = join(cache, createHash('sha256').update(list).digest('hex').slice(0, 16));
  mkdirSync(cache, { recursive: true });
  if (!existsSync(folder) && (await takeLock(`${folder}.lock`))) {
    const own = mkdtempSync(join(cache, 'installing-'));
    try {
      for (const name of ['package.json', 'package-lock.json']) {
        copyFileSync(new URL(name, from), join(own, name));
      }
      await run('npm', install, { cwd: own });
      if (!existsSync(folder)) renameSync(own, folder);
    } catch (error) {
      console.log(`The packages could not be installed: ${(error as Error).message.slice(0, 500)}`);
    } finally {
      rmSync(own, { recursive: true, force: true });
      rmSync(`${folder}.lock`, { recursive: true, force: true });
    }
  }
  return existsSync(folder) ? createRequire(join(folder, 'package.json')) : undefined;
}
