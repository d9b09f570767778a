import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGatehouse } from './gatehouse.ts';

test('a login with a provider begins at the proxy, and comes back to the address that is named', () => {
  const client = createGatehouse({ baseUrl: 'https://auth.example.com', proxy: 'web/admin' });
  const address = client.login.with('google', { next: 'https://app.example.com/home?tab=1' });
  const next = encodeURIComponent('https://app.example.com/home?tab=1');
  assert.equal(address, `https://auth.example.com/v1/clients/web/admin/with/google?next=${next}`);
  assert.equal(client.login.with('a/b'), 'https://auth.example.com/v1/clients/web/admin/with/a%2Fb');
});
