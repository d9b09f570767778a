import { execFile } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { root } from '../harness/starts.ts';

const run = promisify(execFile);
const requirements = fileURLToPath(new URL('requirements.txt', import.meta.url));
const folder = join(root, 'node_modules', '.cache', 'python-clients');
const install = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--retries', '0', '--disable-pip-version-check'];
/** The Debian packages python3-authlib and python3-requests-oauthlib. */
const importAll = 'import authlib.jose, requests_oauthlib';

/**
 * The folder of published Python clients, installed now. Empty: those of the system. Undefined if the package index is
 * unreachable and the system has none.
 */
export async function bringPythonClients(): Promise<string | undefined> {
  const mark = join(folder, 'installed.txt');
  const wanted = readFileSync(requirements, 'utf8');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return folder;
  try {
    rmSync(folder, { recursive: true, force: true });
    await run('python3', [...install, '--target', folder, '--requirement', requirements], { timeout: 120_000 });
  } catch (error) {
    console.log(`The Python clients could not be installed: ${(error as Error).message.slice(0, 500)}`);
    return run('python3', ['-c', importAll]).then(
      () => '',
      () => undefined,
    );
  }
  writeFileSync(mark, wanted);
  return folder;
}
