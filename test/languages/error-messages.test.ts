import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { foundCodes } from '../../scripts/docs/error-codes.ts';
import { readBuiltInSurface } from '../../src/config/languages/read-messages.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const messages = readBuiltInSurface('en', 'errors');
const sources = globSync('{src,extensions}/**/*.ts', { cwd: root })
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => readFileSync(join(root, file), 'utf8'));

const found = (pattern: RegExp): string[] => [
  ...new Set(sources.flatMap((source) => [...source.matchAll(pattern)].map((match) => match[1] as string))),
];

/** The error codes of JSON Schema for bodies of actions and custom routes: its keywords. */
const keywords = [
  ...['type', 'enum', 'const', 'format', 'pattern', 'anyOf', 'oneOf', 'allOf', 'not', 'if', 'multipleOf'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minLength', 'maxLength'],
  ...['minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties', 'required'],
];

const without = (prefix: string, codes: Iterable<string>) =>
  [...codes].filter((code) => !messages.has(`${prefix}.${code}`));

describe('Error messages', () => {
  it('exist for every problem code', () => {
    assert.deepEqual(without('problem', foundCodes().keys()), []);
  });

  it('exist for every OAuth error code', () => {
    const codes = found(
      /\b(?:OAuthError|oauthError|refusal|rejection|errorResponse|refuse|reject)\(\s*(?:\d{3},\s*)?'([a-z]+_[a-z_]+)'/g,
    );
    assert.ok(codes.includes('invalid_grant') && codes.length > 5, String(codes));
    assert.deepEqual(without('problem', codes), []);
  });

  it('exist for every sentence whose code is ambiguous', () => {
    const sentences = found(/\b(?:badRequest|conflict)\(\s*'([A-Z][^']+)',?\s*\)/g);
    assert.ok(sentences.includes('This application does not exist.') && sentences.length > 10);
    assert.deepEqual(
      sentences.filter((sentence) => !messages.has(sentence)),
      [],
    );
  });

  it('exist for every field error code', () => {
    const codes = [
      ...found(/\bcode: '(\w+)',\s*message\b/g),
      ...found(/\bfieldError\([^']*?, '(\w+)',/g),
      ...found(/\bfieldError\(\s*'(\w+)', ['`]/g),
      ...found(/\berror\((?:'\w+'|\w+), '(\w+)',/g),
      ...keywords,
    ];
    assert.ok(
      ['required', 'taken', 'maxLength', 'common', 'beyond_own', 'read_only'].every((one) => codes.includes(one)),
    );
    assert.deepEqual(without('field_error', new Set(codes)), []);
  });
});
