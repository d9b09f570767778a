import { execFileSync, type StdioOptions } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface BuiltCommit {
  /** As git abbreviates it. */
  readonly name: string;
  readonly root: string;
}

const git = (args: readonly string[], stdio: StdioOptions = ['ignore', 'pipe', 'inherit']): Buffer =>
  execFileSync('git', args, { cwd: root, stdio, maxBuffer: 2 ** 30 });

function hashOf(commit: string): string {
  try {
    return git(['rev-parse', '--verify', '--end-of-options', `${commit}^{commit}`], ['ignore', 'pipe', 'ignore'])
      .toString()
      .trim();
  } catch {
    throw new Error(`--against: this repository has no commit "${commit}".`);
  }
}

/** Unpacks and builds another commit of this repository below `.cache/commits`. Reuses an existing build with the same packages. */
export function buildCommit(commit: string): BuiltCommit {
  const hash = hashOf(commit);
  const name = hash.slice(0, 9);
  const folder = join(root, '.cache/commits', hash);
  if (existsSync(join(folder, 'dist/cli/main.js')) && hasItsPackages(folder)) return { name, root: folder };
  console.log(`Building ${name}…`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-x', '-C', folder], { input: git(['archive', hash]) });
  installPackages(folder);
  execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', 'scripts/build-service.mjs', '--no-types'], {
    cwd: folder,
    stdio: 'inherit',
  });
  return { name, root: folder };
}

const parts = ['.', 'console', 'scripts/bundler'] as const;

/** False if the packages are links, and this checkout has moved, or has other packages now. */
export function hasItsPackages(folder: string, checkout = root): boolean {
  return parts.every((part) => {
    const [here, there] = [join(checkout, part), join(folder, part)];
    const theirs = lockIn(there);
    if (theirs === undefined) return true;
    const packages = join(there, 'node_modules');
    if (!lstatSync(packages, { throwIfNoEntry: false })?.isSymbolicLink()) return existsSync(packages);
    return readlinkSync(packages) === join(here, 'node_modules') && lockIn(here) === theirs;
  });
}

/** Links the packages of this checkout if both commits need the same ones. Otherwise installs the commit's own. */
function installPackages(folder: string): void {
  for (const part of parts) {
    const [here, there] = [join(root, part), join(folder, part)];
    const theirs = lockIn(there);
    if (theirs === undefined) continue;
    if (lockIn(here) === theirs) symlinkSync(join(here, 'node_modules'), join(there, 'node_modules'));
    else
      execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
        cwd: there,
        stdio: 'inherit',
        shell: process.platform === 'win32',
      });
  }
}

/** Undefined for a commit that has no such folder. */
function lockIn(folder: string): string | undefined {
  const path = join(folder, 'package-lock.json');
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
