import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** In the package, the folders of `src/` are directly in `dist/`, beside `extensions/`. */
const extensions = join(import.meta.dirname, import.meta.url.endsWith('.ts') ? '../../extensions' : '../extensions');

/** The folders of all extensions with this name, such as `extensions/providers/views`. */
export const extensionFolders = (name: string): string[] =>
  readdirSync(extensions)
    .sort()
    .map((extension) => join(extensions, extension, name))
    .filter((folder) => existsSync(folder));
