import { readFileSync } from 'node:fs';
import { parseJson } from './json-text.ts';

export const { version: serviceVersion } = parseJson<{ version: string }>(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
);
