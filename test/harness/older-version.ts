import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { knownMigrations } from '../../src/database/migrate.ts';
import { root } from './starts.ts';

const folder = 'src/database/migrations';

const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

const migrationsIn = (ref: string): string[] =>
  git('ls-tree', '--name-only', ref, `${folder}/`)
    .split('\n')
    .flatMap((path) => /\/(\d{3}-[\w-]+)\.ts$/.exec(path)?.[1] ?? []);

/** The newest commit that has some of today's migrations, and no others. */
function findRef(): string | undefined {
  const commits = git('log', '--format=%H', '--', folder).split('\n').filter(Boolean);
  return commits.find((commit) => {
    const names = migrationsIn(commit);
    return (
      names.length > 0 && names.length < knownMigrations.length && names.every((name) => knownMigrations.includes(name))
    );
  });
}

export interface OlderVersion {
  readonly root: string;
  readonly ref: string;
  readonly migrations: readonly string[];
}

/**
 * The sources of an earlier version in a folder of their own, with the packages of this one: that of UPGRADE_FROM, or of the commit before
 * the newest migration. Undefined where there is no history to take it from. Removed after the suite that is being declared.
 */
export function olderVersion(): OlderVersion | undefined {
  let ref: string | undefined;
  try {
    ref = process.env.UPGRADE_FROM ?? findRef();
    if (ref === undefined) return undefined;
    ref = git('rev-parse', '--short', ref).trim();
  } catch {
    return undefined;
  }
  const older = mkdtempSync(join(tmpdir(), 'gatehouse-older-'));
  after(() => rmSync(older, { recursive: true, force: true }));
  const archive = execFileSync('git', ['archive', ref], { cwd: root, maxBuffer: 1 << 30 });
  execFileSync('tar', ['-x', '-C', older], { input: archive });
  symlinkSync(join(root, 'node_modules'), join(older, 'node_modules'));
  mkdirSync(join(older, 'console'), { recursive: true });
  cpSync(join(root, 'console/dist'), join(older, 'console/dist'), { recursive: true });
  return { root: `${older}/`, ref, migrations: migrationsIn(ref) };
}
