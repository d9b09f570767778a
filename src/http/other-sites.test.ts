import assert from 'node:assert/strict';
import { test } from 'node:test';
import { otherSites } from './other-sites.ts';

test('a page of this machine that is another site to a browser is named, with both mends', () => {
  const said = otherSites({
    baseUrl: 'http://127.0.0.1:3000',
    corsOrigins: ['http://localhost:5173', 'http://127.0.0.1:5173', 'https://app.example.com'],
  });
  assert.equal(said.length, 1);
  assert.match(said[0] ?? '', /localhost and 127\.0\.0\.1 are different sites/);
  assert.match(said[0] ?? '', /Open the page at http:\/\/127\.0\.0\.1:5173, or set BASE_URL to localhost\.$/);
  assert.deepEqual(otherSites({ baseUrl: 'https://auth.example.com', corsOrigins: ['http://localhost:5173'] }), []);
  assert.deepEqual(otherSites({ baseUrl: 'http://localhost:3000', corsOrigins: ['*'] }), []);
});
