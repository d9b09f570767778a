import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import type { RequestSource } from '../../http/request-source.ts';
import { deviceOf, rememberDevice } from './known-devices.ts';

const mac = (purpose: string, data: string) => createHmac('sha256', purpose).update(data).digest('base64url');
const keys = { mac, matches: (purpose: string, data: string, given: string) => mac(purpose, data) === given };
const on = (device?: string): RequestSource => ({ address: null, userAgent: null, requestId: null, device });
const isKnownDevice = (...asked: Parameters<typeof deviceOf>) => deviceOf(...asked) !== undefined;

describe('known devices', () => {
  it('are known to the user who signed in on them, and to nobody else', () => {
    const cookie = rememberDevice(keys, on(), 'ada');
    assert.equal(isKnownDevice(keys, on(cookie), 'ada'), true);
    assert.equal(isKnownDevice(keys, on(cookie), 'grace'), false);
    assert.equal(isKnownDevice(keys, on(), 'ada'), false);
    assert.doesNotMatch(cookie, /ada/);
    assert.match(cookie, /^[\w.~-]+$/);
  });

  it('are shared by a few people, the newest of them', () => {
    let cookie: string | undefined;
    const people = Array.from({ length: 8 }, (_, i) => `user${i}`);
    for (const person of people) cookie = rememberDevice(keys, on(cookie), person);
    assert.deepEqual(
      people.filter((person) => isKnownDevice(keys, on(cookie), person)),
      people.slice(3),
    );
  });

  it('keep their name through any number of sign-ins', () => {
    const first = rememberDevice(keys, on(), 'ada');
    const second = rememberDevice(keys, on(rememberDevice(keys, on(first), 'grace')), 'ada');
    assert.equal(deviceOf(keys, on(second), 'ada'), deviceOf(keys, on(first), 'ada'));
    assert.equal(isKnownDevice(keys, on(second), 'grace'), true);
  });

  it('cannot be made up', () => {
    const cookie = rememberDevice(keys, on(), 'ada');
    const [nonce] = cookie.split('.');
    for (const forged of ['', '~', 'x', `${nonce}.${'A'.repeat(43)}`, `${cookie}x`, '~'.repeat(100_000)]) {
      assert.equal(isKnownDevice(keys, on(forged), 'ada'), false, forged.slice(0, 40));
      assert.equal(isKnownDevice(keys, on(rememberDevice(keys, on(forged), 'ada')), 'ada'), true);
    }
  });
});
