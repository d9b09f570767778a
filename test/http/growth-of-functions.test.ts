import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readFormEncoded } from '../../src/http/bodies/form-body.ts';
import { readJson } from '../../src/http/bodies/json-body.ts';
import { readMultipart } from '../../src/http/bodies/multipart.ts';
import { quoteForError, unknownName } from '../../src/http/errors/parameter-errors.ts';
import { matchesEtag } from '../../src/http/etag.ts';
import { acceptsJson } from '../../src/http/gate/accept.ts';
import { networkOf } from '../../src/http/network-of.ts';
import { describeUserAgent } from '../../src/http/user-agent.ts';
import { fingerprintOfLogin, readLogin } from '../../src/identity/accounts/identifiers.ts';
import { checkNewPassword, readProfile } from '../../src/identity/accounts/user-fields.ts';
import { parseScope } from '../../src/oauth/clients/scopes/scopes.ts';
import { localPath } from '../../src/pages/session/local-path.ts';
import { closestName } from '../../src/platform/closest-name.ts';
import { cleanLogLine, redactSecrets } from '../../src/platform/log.ts';
import { toNfc } from '../../src/platform/normal-form.ts';
import { fieldTypes } from '../../src/resources/declaration/fields/field-types.ts';
import { fold, prefixUpperBound } from '../../src/resources/declaration/fields/folding.ts';
import { parseTimestamp } from '../../src/resources/declaration/fields/timestamps.ts';
import { readSearch, readSearchFields } from '../../src/resources/query/search-text.ts';
import { readForm } from '../../src/resources/write/form-body.ts';
import { assertLinear, quadratic, smallestSize } from '../harness/growth.ts';

/** Pieces that are hard for patterns and parsers, each repeated to any length. */
const pieces = [
  'a',
  'ab',
  '1',
  '0',
  ' ',
  '\t',
  '.',
  ',',
  ';',
  ':',
  '/',
  '\\',
  '*',
  '"',
  "'",
  '=',
  '&',
  '%',
  '+',
  '-',
  '@',
  '(',
  '[',
  '{',
  'eyJ',
  'eyJ-',
  'eyJa.',
  'Bearer ',
  'basic a',
  '://',
  '://:',
  '://a:@',
  'token=',
  'password=a&',
  '%2f',
  '%41',
  '%',
  '+1 ',
  'a.',
  'a@',
  'a,',
  'a;',
  'a:',
  'a=',
  'a&',
  'a=1&',
  '1,',
  '1.',
  '1e',
  'W/"a",',
  '"a",',
  '*/*,',
  '*;q=0,',
  'a/b;q="',
  ';q=0',
  '\\*',
  '\\\\',
  '*,',
  'a:*;',
  '>=',
  '\u0315\u0316',
  '\u0316a',
  '😀',
  '\udbff\udfff',
  '\0',
  'Version/1 ',
  '../',
  './/',
  'ﷺ',
  '["',
  '{"a":',
  '[[',
  '\\u0000',
  '::',
  ':0',
  'f:',
];

const repeated = (piece: string, size: number): string => piece.repeat(Math.ceil(size / piece.length)).slice(0, size);

/** An error is a refusal, and counts as a response. */
const tried = (work: () => unknown) => {
  try {
    return work();
  } catch {
    return undefined;
  }
};

const multipart = (text: string) =>
  readMultipart(Buffer.from(text), 'multipart/form-data; boundary=a', (bytes) => bytes.toString());
const form = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'array' } } };
const identifierKinds = ['email', 'username', 'phone'] as const;

/** Every function that processes text of a caller, with the maximum length of the text. */
const searched = {
  name: 'a',
  column: 'a',
  options: {},
  indexed: false,
  comparisonSql: () => 'a',
  foldText: (text: string) => text,
};

const readers: readonly [name: string, longest: number, read: (text: string) => unknown][] = [
  [
    'the log',
    1 << 18,
    (text) => cleanLogLine(`${JSON.stringify({ level: 'info', time: '', msg: 'x', reason: text })}\n`),
  ],
  ['its net', 1 << 16, redactSecrets],
  ['NFC', 1 << 18, toNfc],
  ['a JSON body', 1 << 18, readJson],
  ['a form', 1 << 18, (text) => readFormEncoded(text)],
  ['a multipart form', 1 << 18, (text) => multipart(text)],
  ['the parts of one', 1 << 18, (text) => multipart(`--a\r\n${text}`)],
  [
    'the content of one',
    1 << 18,
    (text) => multipart(`--a\r\nContent-Disposition: form-data; name="a"\r\n\r\n${text}`),
  ],
  ['a boundary', 1 << 14, (text) => readMultipart(Buffer.from('--a--'), `multipart/form-data;${text}`, String)],
  ['Accept', 1 << 14, acceptsJson],
  ['If-None-Match', 1 << 14, (text) => matchesEtag(text, '"a"')],
  ['an address', 1 << 14, networkOf],
  ['a login', 1 << 18, (text) => [readLogin(text, identifierKinds), fingerprintOfLogin(text)]],
  ['a profile', 1 << 18, (text) => readProfile({ email: text, username: text, phone: text, name: text })],
  ['a new password', 1 << 18, (text) => checkNewPassword(text, {})],
  ['a scope', 1 << 18, parseScope],
  ['a search', 1 << 14, (text) => readSearch(text, new Map([['a', 'like']]))],
  ['the value of one', 1 << 14, (text) => readSearch(`b:${text}`, new Map())],
  ['its fields', 1 << 14, (text) => readSearchFields(text, () => undefined)],
  ['folding', 1 << 16, (text) => prefixUpperBound(fold(text))],
  ['a moment', 1 << 18, parseTimestamp],
  ['a value of an action', 1 << 18, (text) => readForm({ a: text, b: text }, form)],
  ['an unknown name', 1 << 18, (text) => [unknownName('x', text, ['search', 'page'], 'x'), quoteForError(text)]],
  ['the nearest name', 1 << 10, (text) => closestName(text.slice(0, 60), ['search', 'page'])],
  ['a path to go to', 1 << 16, localPath],
  ['a user agent', 1 << 8, describeUserAgent],
  ...fieldTypes.map((type): [string, number, (text: string) => unknown] => [
    `a value of the type ${type.name}`,
    1 << 18,
    (text) => [
      type.check(type.fromForm(text), {}),
      tried(() => type.fromSearch(text, { ...searched, type })),
      tried(() =>
        type.matches(
          { text, isNull: false, wildcardBefore: false, wildcardAfter: false },
          { ...searched, type },
          'sqlite',
          't',
        ),
      ),
    ],
  ]),
];

describe('Time grows at most linearly with the length of the text', () => {
  for (const [name, longest, read] of readers) {
    it(`for ${name}`, async () => {
      for (const piece of pieces) {
        for (const [end, tail] of [
          ['', 'as it is'],
          ['x', 'with another end'],
          ['"', 'with a quote at its end'],
        ]) {
          const label = `${name}, ${JSON.stringify(piece)} ${tail}`;
          await assertLinear(label, longest, (size) => tried(() => read(repeated(piece, size) + end)));
        }
      }
    });
  }

  it('and the measurement detects quadratic time', async () => {
    await assert.rejects(assertLinear('a bad pattern', smallestSize, quadratic));
  });
});
