import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseConfig } from '../config.ts';

it('HOST takes an address or a host name', () => {
  for (const HOST of ['0.0.0.0', '::', '::1', 'localhost', 'LOCALHOST', 'api-1.example.com', 'my_host'])
    assert.equal(parseConfig({}, { HOST }, '.').host, HOST);
  for (const HOST of ['999.1.1.1', '1.2.3', '1', '1.2.3.4.5', ':::', 'localhost:80', 'a b'])
    assert.throws(() => parseConfig({}, { HOST }, '.'), new RegExp(`HOST: got "${HOST}"; expected a host name`));
});
