import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { codePoint } from '../../../test/harness/code-points.ts';
import { localPath } from './local-path.ts';

const bases = ['https://gate.example', 'http://127.0.0.1:3000/login?next=x', 'https://gate.example/deep/er/page'];

describe('localPath', () => {
  it('accepts paths of this service', () => {
    for (const path of [
      '/',
      '/settings',
      '/settings/tokens?page=2',
      '/admin',
      '/a%20b',
      '/a?next=//x',
      '/a?u=https://x',
    ]) {
      assert.equal(localPath(path), path);
    }
  });

  it('refuses paths that lead elsewhere', () => {
    const refused = [
      '',
      'settings',
      '//evil.example',
      '///evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      '/\\/evil.example',
      'https://evil.example',
      'https:evil.example',
      'javascript:alert(1)',
      'data:text/html,x',
      '/\t/evil.example',
      '/\n/evil.example',
      '\t//evil.example',
      ' //evil.example',
      '/\u0000/evil.example',
      '/ok\r\nSet-Cookie: a=b',
      '/ok%0d%0aSet-Cookie:%20a=b',
      '/%2fevil.example',
      '/%2Fevil.example',
      '/%5cevil.example',
      '/.//evil.example',
      '/a/..//evil.example',
      '/a/../%2fevil.example',
      '/%2e//evil.example',
      '/%2e%2e//evil.example',
      '/é',
      '/\u2028',
      `/${'a'.repeat(8000)}`,
    ];
    for (const target of refused) assert.equal(localPath(target), undefined, JSON.stringify(target));
    for (const value of [undefined, null, 7, ['/a'], { toString: () => '/a' }])
      assert.equal(localPath(value), undefined);
  });

  it('never returns a path that a browser would resolve to another origin, for any input', () => {
    const pieces = fc.constantFrom(
      ...[
        '/',
        '//',
        '\\',
        '.',
        '..',
        '%2f',
        '%2F',
        '%5c',
        '%2e',
        '%09',
        '%0a',
        '\t',
        '\n',
        '\r',
        ' ',
        '@',
        ':',
        '?',
        '#',
      ],
      ...['evil.example', 'https:', 'javascript:', 'settings', 'a', '\u0000', '\u3002', '\uff0f', '%252f'],
    );
    const anything = fc.oneof(
      fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join('')),
      fc.array(pieces, { maxLength: 12 }).map((parts) => `/${parts.join('')}`),
      fc.string({ unit: codePoint }),
      fc.webUrl(),
    );
    fc.assert(
      fc.property(anything, (candidate) => {
        const path = localPath(candidate);
        if (path === undefined) return;
        assert.match(path, /^\/[\x21-\x7e]*$/);
        for (const base of bases) {
          for (const seen of [path, decodeOnce(path)])
            assert.equal(new URL(seen, base).origin, new URL(base).origin, path);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('does not change a path that it returned', () => {
    fc.assert(
      fc.property(fc.webPath(), fc.webQueryParameters(), (path, query) => {
        const once = localPath(`${path}?${query}`);
        if (once !== undefined) assert.equal(localPath(once), once);
      }),
    );
  });
});

/** The path after a proxy has decoded it. */
function decodeOnce(path: string): string {
  try {
    return decodeURIComponent(path.split('?', 1)[0] as string);
  } catch {
    return path;
  }
}
