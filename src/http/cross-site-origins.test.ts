import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatEnglish } from '../config/languages/format-message.ts';
import { crossSiteWarning, findCrossSiteOrigins } from './cross-site-origins.ts';

test('a CORS origin on this machine that is another site for browsers is reported with two corrections', () => {
  const [site, ...more] = findCrossSiteOrigins({
    baseUrl: 'http://127.0.0.1:3000',
    corsOrigins: ['http://localhost:5173', 'http://127.0.0.1:5173', 'https://app.example.com'],
  });
  assert.equal(more.length, 0);
  const warning = formatEnglish(crossSiteWarning, { ...site });
  assert.match(warning, /localhost and 127\.0\.0\.1 are different sites/);
  assert.match(warning, /Open the page at http:\/\/127\.0\.0\.1:5173, or set BASE_URL to localhost\.$/);
  assert.deepEqual(
    findCrossSiteOrigins({ baseUrl: 'https://auth.example.com', corsOrigins: ['http://localhost:5173'] }),
    [],
  );
  assert.deepEqual(findCrossSiteOrigins({ baseUrl: 'http://localhost:3000', corsOrigins: ['*'] }), []);
});
