import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { root } from './starts.ts';

const migration = `{
  name: '999-trial',
  statements: ({ text }) => [
    \`create table trials (id \${text} primary key)\`,
    \`alter table users add column trial \${text} not null default 'none'\`,
  ],
  indexes: [{ name: 'users_trial', on: 'users (trial)' }],
}`;

/** The tracked files of a commit, or of the working tree, in a separate folder, with the packages of this version. */
function sourcesOf(commit: string | undefined): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-version-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  if (commit) {
    const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 1 << 30 });
    execFileSync('tar', ['-x', '-C', folder], { input: archive });
  } else {
    for (const name of ['src', 'extensions', 'client', 'package.json'])
      cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  mkdirSync(join(folder, 'console'), { recursive: true });
  cpSync(join(root, 'console/dist'), join(folder, 'console/dist'), { recursive: true });
  return `${folder}/`;
}

/**
 * Folders of two versions. The older one is this version, or the commit in UPGRADE_FROM. The newer one is this version with
 * one more migration.
 */
export function twoVersions(): { readonly older: string; readonly newer: string } {
  const commit = process.env.UPGRADE_FROM;
  const newer = sourcesOf(undefined);
  const path = join(newer, 'src/database/migrate.ts');
  const text = readFileSync(path, 'utf8');
  const more = text.replace(/\[firstTables[^\]]*/, (list) => `${list}, ${migration}`);
  if (more === text) throw new Error('the list of migrations was not found');
  writeFileSync(path, more);
  return { older: commit ? sourcesOf(commit) : root, newer };
}
