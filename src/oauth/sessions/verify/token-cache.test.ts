import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { anonymousCaller } from '../../../platform/caller.ts';
import type { AccessTokenClaims } from '../tokens/access-token.ts';
import { TokenCache } from './token-cache.ts';

const verified = (sessionId: string, more: object = {}) => ({
  caller: { ...anonymousCaller, ...more },
  sessionId,
  expiresAt: 1,
  paths: [''],
});
const end = 'x'.repeat(60);

describe('The token cache', () => {
  it('finds a token only if all of it matches', () => {
    const cache = new TokenCache(10);
    cache.set(`one.${end}`, verified('a'), cache.epoch);
    assert.equal(cache.get(`one.${end}`)?.sessionId, 'a');
    for (const other of [`two.${end}`, end, end.slice(-32), `one.${end}x`, 'one.', '']) {
      assert.equal(cache.get(other), undefined, other);
    }
  });

  it('forgets the tokens of a session, a user or a client, or all tokens', () => {
    const tokenOf = (n: number) => `${n}.${end}${n}`;
    const fill = () => {
      const cache = new TokenCache(10);
      cache.set(tokenOf(1), verified('a', { userId: 'u' }), cache.epoch);
      cache.set(tokenOf(2), verified('a', { userId: 'u' }), cache.epoch);
      cache.set(tokenOf(3), verified('b', { clientId: 'c' }), cache.epoch);
      return cache;
    };
    const left = (kind: 'session' | 'user' | 'client' | 'everything', id: string) => {
      const cache = fill();
      cache.invalidate({ kind, id });
      return [1, 2, 3].filter((n) => cache.get(tokenOf(n)));
    };
    assert.deepEqual(left('session', 'a'), [3]);
    assert.deepEqual(left('user', 'u'), [3]);
    assert.deepEqual(left('client', 'c'), [1, 2]);
    assert.deepEqual(left('everything', ''), []);
    assert.deepEqual(left('session', 'unknown'), [1, 2, 3]);
  });

  it('keeps no token that was verified during an invalidation, and no more than its limit', () => {
    const cache = new TokenCache(2);
    const { epoch } = cache;
    cache.invalidate({ kind: 'session', id: 'other' });
    cache.set(`late.${end}`, verified('a'), epoch);
    assert.equal(cache.size, 0);
    for (const n of [1, 2, 3]) cache.set(`${n}.${end}${n}`, verified('a'), cache.epoch);
    assert.equal(cache.size, 2);
    assert.equal(cache.get(`1.${end}1`), undefined);
    assert.ok(cache.get(`3.${end}3`));
  });

  it('keeps the claims of a token after the end of its session, until the keys change', () => {
    const claims = { sid: 'a' } as AccessTokenClaims;
    const cache = new TokenCache();
    cache.setClaims('one', claims, cache.epoch);
    cache.invalidate({ kind: 'session', id: 'a' });
    assert.equal(cache.claimsOf('one'), claims);
    for (const kind of ['keys', 'everything'] as const) {
      cache.setClaims('one', claims, cache.epoch);
      const { epoch } = cache;
      cache.invalidate({ kind, id: '' });
      cache.setClaims('two', claims, epoch);
      assert.deepEqual([cache.claimsOf('one'), cache.claimsOf('two')], [undefined, undefined], kind);
    }
  });
});
