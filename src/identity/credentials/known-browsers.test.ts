import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { MacKeys } from '../../database/keys/mac-keys.ts';
import { createMacKey } from '../../database/keys/make-keys.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { addKnownBrowser, knownBrowserOf } from './known-browsers.ts';

const keys = { macKeys: new MacKeys(() => 1) };
keys.macKeys.load([createMacKey({ seal: () => '' }, { now: 0, signsFrom: 0 })], () => randomBytes(32));
const on = (browserCookie?: string): RequestSource => ({
  address: null,
  userAgent: null,
  requestId: null,
  browserCookie,
});
const isKnownBrowser = (...args: Parameters<typeof knownBrowserOf>) => knownBrowserOf(...args) !== undefined;

describe('Known browsers', () => {
  it('are known only for the user who signed in on them', () => {
    const cookie = addKnownBrowser(keys, on(), 'ada');
    assert.equal(isKnownBrowser(keys, on(cookie), 'ada'), true);
    assert.equal(isKnownBrowser(keys, on(cookie), 'grace'), false);
    assert.equal(isKnownBrowser(keys, on(), 'ada'), false);
    assert.doesNotMatch(cookie, /ada/);
    assert.match(cookie, /^[\w.~-]+$/);
  });

  it('remember the last few users who signed in', () => {
    let cookie: string | undefined;
    const people = Array.from({ length: 8 }, (_, i) => `user${i}`);
    for (const person of people) cookie = addKnownBrowser(keys, on(cookie), person);
    assert.deepEqual(
      people.filter((person) => isKnownBrowser(keys, on(cookie), person)),
      people.slice(3),
    );
  });

  it('keep their id over any number of sign-ins', () => {
    const first = addKnownBrowser(keys, on(), 'ada');
    const second = addKnownBrowser(keys, on(addKnownBrowser(keys, on(first), 'grace')), 'ada');
    assert.equal(knownBrowserOf(keys, on(second), 'ada'), knownBrowserOf(keys, on(first), 'ada'));
    assert.equal(isKnownBrowser(keys, on(second), 'grace'), true);
  });

  it('cannot be forged', () => {
    const cookie = addKnownBrowser(keys, on(), 'ada');
    const [nonce] = cookie.split('.');
    for (const forged of ['', '~', 'x', `${nonce}.${'A'.repeat(43)}`, `${cookie}x`, '~'.repeat(100_000)]) {
      assert.equal(isKnownBrowser(keys, on(forged), 'ada'), false, forged.slice(0, 40));
      assert.equal(isKnownBrowser(keys, on(addKnownBrowser(keys, on(forged), 'ada')), 'ada'), true);
    }
  });
});
