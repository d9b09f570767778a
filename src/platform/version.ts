import { readFileSync } from 'node:fs';
import { parseJson } from './json-text.ts';

/** The folder of the package, as a URL. */
export const packageFolder = new URL('../../', import.meta.url);

export const { version: serviceVersion } = parseJson<{ version: string }>(
  readFileSync(new URL('package.json', packageFolder), 'utf8'),
);
