import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { referencePages } from './reference.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
for (const [path, page] of await referencePages()) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), page);
  console.log(path);
}
