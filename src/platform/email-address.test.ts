import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { foldEmail, mailboxOf, normaliseEmail } from './email-address.ts';

describe('An email address', () => {
  it('keeps its local part, and its host becomes lowercase ASCII', () => {
    for (const [written, stored] of [
      ['Ada@Example.COM', 'Ada@example.com'],
      ['Jose\u0301@example.com', 'jos\u00e9@example.com'],
      ["o'brien+tag@sub.example.co.uk", "o'brien+tag@sub.example.co.uk"],
      ['admin@localhost', 'admin@localhost'],
      ['post@b\u00fccher.example', 'post@xn--bcher-kva.example'],
      ['post@B\u00dcCHER.example', 'post@xn--bcher-kva.example'],
      ['post@xn--bcher-kva.example', 'post@xn--bcher-kva.example'],
      ['c3@example\u3002com', 'c3@example.com'],
      ['c3@example\uff0ecom', 'c3@example.com'],
      ['c3@example\uff61com', 'c3@example.com'],
      ['c3@\uff45\uff58ample.com', 'c3@example.com'],
    ] as const) {
      assert.equal(normaliseEmail(written), stored);
    }
  });

  for (const invalid of [
    '',
    '@',
    'a@',
    '@b',
    'plain',
    ' a@example.com',
    'a@example.com ',
    'a@example.com\n',
    '\ta@example.com',
    'a b@example.com',
    'a@exa mple.com',
    'a@exam\nple.com',
    'a@exam\r\nple.com',
    'a@exam\tple.com',
    'a@b@example.com',
    'a@-example.com',
    'a@example..com',
    'a@example.com.',
    '.a@example.com',
    'a.@example.com',
    'a..b@example.com',
    'a@example.com\r\nBcc: b@example.com',
    'a\u0000@example.com',
    'a\u0085@example.com',
    'a\u200b@example.com',
    'a\u202e@example.com',
    'a@exam\u00adple.com',
    'a@exam\u200bple.com',
    '<a@example.com>',
    '<b>a</b>@example.com',
    'a@<b>example.com',
    'a@example.com<script>',
    'a@example.com,b@example.com',
    'a;b@example.com',
    'a:b@example.com',
    'a(b)@example.com',
    'a[b]@example.com',
    'a\\b@example.com',
    '"a b"@example.com',
    '"a"@example.com',
    'a/b@example.com',
    'a?b@example.com',
    'a#b@example.com',
    'a@example.com/path',
    'a@example.com?x=1',
    'a@example.com#x',
    'a@example.com:25',
    'a@exam%70le.com',
    'a@exam\\ple.com',
    'a@[127.0.0.1]',
    'a@127.0.0.1',
    'a@0x7f.1',
    'a@1',
    'a@xn--a',
    'a@exam_ple.com',
    'a@\ud800.com',
    '\ud800@example.com',
    `${'a'.repeat(65)}@example.com`,
    `a@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}.${'e'.repeat(63)}.com`,
    `${'\u00e9'.repeat(33)}@example.com`,
    'a'.repeat(1_000_000),
    `a@${'b.'.repeat(500_000)}`,
  ]) {
    it(`is not ${JSON.stringify(invalid).slice(0, 40)}`, () => assert.equal(normaliseEmail(invalid), undefined));
  }

  it('may have the maximum length', () => {
    const local = 'a'.repeat(64);
    const host = `${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`;
    assert.equal(normaliseEmail(`${local}@${host}`), `${local}@${host}`);
    assert.equal(normaliseEmail(`${local}@${host}d`), undefined);
  });

  it('has one normal form, which ignores case', () => {
    const piece = fc.constantFrom(
      ...'aAzZ1.-_@+ \u0130\u212a\u00df\u0301\u00c5\u03a3\u3002\uff0e/#%<'.split(''),
      '\u{1F600}',
      'example.com',
      'b\u00fccher',
      'xn--bcher-kva',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 16 }), (pieces) => {
        const form = normaliseEmail(pieces.join(''));
        if (form === undefined) return;
        assert.equal(normaliseEmail(form), form);
        const shouted = form.replace(/[a-z]/g, (letter) => letter.toUpperCase());
        assert.equal(foldEmail(normaliseEmail(shouted) ?? ''), foldEmail(form));
        assert.equal(new URL(`http://${form.slice(form.lastIndexOf('@') + 1)}`).hostname, form.split('@').at(-1));
        // The result on both engines.
        assert.equal(
          form.replace(/[A-Z]/g, (letter) => letter.toLowerCase()),
          foldEmail(form),
        );
      }),
    );
  });

  it('names its mailbox without the part after a plus sign', () => {
    assert.equal(mailboxOf('Ada+shop@example.com'), 'ada@example.com');
    assert.equal(mailboxOf('ada@example.com'), 'ada@example.com');
    assert.equal(mailboxOf('a+b+c@example.com'), 'a@example.com');
    assert.equal(mailboxOf('+ada@example.com'), '+ada@example.com');
  });
});
