import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchRoute } from './match-route.ts';

test('a pattern matches a path, segment by segment', () => {
  assert.deepEqual(matchRoute('cars/*', '/cars/a%2Fb/show'), {
    params: { '*': 'a%2Fb/show' },
    base: '/cars',
    rank: 10,
  });
  assert.deepEqual(matchRoute(':id/show/*', '/a%2Fb/show')?.params, { id: 'a/b', '*': '' });
  assert.deepEqual(matchRoute(':id', '/%E0%A4')?.params, { id: '%E0%A4' });
  assert.equal(matchRoute('/', '/cars'), undefined);
  assert.equal(matchRoute('cars', '/carsten'), undefined);
  assert.equal(matchRoute('/cars', '/cars/1', false)?.base, '/cars');
});

test('the most specific of several patterns has the highest rank', () => {
  const best = (path: string) =>
    ['/*', ':id/*', ':id/show/*', 'create/*', '/']
      .flatMap((pattern) => ({ pattern, rank: matchRoute(pattern, path)?.rank ?? -1 }))
      .sort((a, b) => b.rank - a.rank)[0]?.pattern;
  assert.equal(best('/'), '/');
  assert.equal(best('/create'), 'create/*');
  assert.equal(best('/1'), ':id/*');
  assert.equal(best('/1/show'), ':id/show/*');
});
