import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { normaliseEmail } from '../../platform/email-address.ts';
import { normalisePhone, normaliseUsername, readLogin } from './identifiers.ts';

describe('Identifiers', () => {
  it('include usernames that follow the rule', () => {
    assert.equal(normaliseUsername('Ada.Lovelace'), 'ada.lovelace');
    for (const invalid of [
      'ab',
      '1ada',
      '.ada',
      'a@b',
      'ada lovelace',
      'a'.repeat(33),
      '\u212Aelvin\u00e9',
      '+4930123456',
    ]) {
      assert.equal(normaliseUsername(invalid), undefined, invalid);
    }
  });

  it('include phone numbers, which become E.164', () => {
    assert.equal(
      normalisePhone('+15551234567'),
      '+15551234567',
      'a valid number is accepted, even if its range is not in use',
    );
    assert.equal(normalisePhone(' 1 213 373 4253'), '+12133734253', 'a form has turned the plus sign into a space');
    assert.equal(normalisePhone('+49 (30) 901-820'), '+4930901820');
    assert.equal(normalisePhone('+1 213 373 4253'), '+12133734253');
    for (const invalid of ['030 901820', '+1', '+999999999999', '+49 30 abc', '+1 213 373 4253 ext. 3', '', '+']) {
      assert.equal(normalisePhone(invalid), undefined, invalid);
    }
  });

  it('match a login only if their kind is enabled', () => {
    assert.deepEqual(readLogin('Ada@Example.com', ['email']), { attribute: 'email', value: 'Ada@example.com' });
    assert.deepEqual(readLogin(' post@b\u00fccher.example ', ['email']), {
      attribute: 'email',
      value: 'post@xn--bcher-kva.example',
    });
    assert.equal(readLogin('ada', ['email']), undefined);
    assert.deepEqual(readLogin('Ada', ['email', 'username']), { attribute: 'username', value: 'ada' });
    assert.equal(readLogin('+12133734253', ['email', 'username']), undefined);
    assert.deepEqual(readLogin('+1 213 373 4253', ['phone']), { attribute: 'phone', value: '+12133734253' });
  });

  it('are stable when normalised again, and no text is read as two identifiers', () => {
    const alphabet = fc.constantFrom(
      ...'aAbB1.-_@+ 0\u0130\u212a\u00df\u0301\u00c5'.split(''),
      '\u{1F600}',
      '49',
      'example.com',
    );
    fc.assert(
      fc.property(fc.array(alphabet, { maxLength: 24 }), (parts) => {
        const text = parts.join('');
        const read = [normaliseEmail(text), normaliseUsername(text), normalisePhone(text)];
        assert.ok(read.filter((value) => value !== undefined).length <= 1, text);
        for (const [i, normalise] of [normaliseEmail, normaliseUsername, normalisePhone].entries()) {
          const once = read[i];
          if (once !== undefined) assert.equal(normalise(once), once);
        }
      }),
    );
  });
});
