import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { inRoot } from './processes.mjs';

const isLinted = (path) => /\.(ts|tsx|mjs|css)$/.test(path) || /^[^/\\]+\.json$/.test(path);
const skipped = new Set(['node_modules', 'dist']);

/**
 * The files that changed since the last call of `remember`. Undefined at the first call, and if the rules or the packages have changed.
 * Then every file must be linted.
 */
export function changedFiles() {
  const record = inRoot('node_modules', '.cache', 'linted.json');
  const rules = hash(readFileSync(inRoot('biome.json')), readFileSync(inRoot('package-lock.json')));
  const before = existsSync(record) ? JSON.parse(readFileSync(record, 'utf8')) : {};
  const files = Object.fromEntries(linted(inRoot()).map((path) => [path, hash(readFileSync(inRoot(path)))]));
  const changed = Object.keys(files).filter((path) => files[path] !== before.files?.[path]);
  return {
    changed: before.rules === rules ? changed : undefined,
    remember() {
      mkdirSync(dirname(record), { recursive: true });
      writeFileSync(record, JSON.stringify({ rules, files }));
    },
  };
}

function linted(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return skipped.has(entry.name) || entry.name.startsWith('.') ? [] : linted(path);
    return entry.isFile() && isLinted(relative(inRoot(), path)) ? [relative(inRoot(), path)] : [];
  });
}

function hash(...contents) {
  const digest = createHash('sha256');
  for (const content of contents) digest.update(content);
  return digest.digest('base64url');
}
