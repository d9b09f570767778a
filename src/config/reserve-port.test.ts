import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { it } from 'node:test';
import { parseConfig } from './config.ts';
import { reservePort } from './reserve-port.ts';

it('keeps a free port reserved until the service listens on it', async () => {
  const { config, release } = await reservePort(parseConfig({}, { PORT: '0', HOST: '127.0.0.1' }, '.'));
  assert.match(config.baseUrl, new RegExp(`:${config.port}$`));
  const other = createServer().listen(config.port, config.host);
  const [error] = await once(other, 'error');
  assert.equal(error.code, 'EADDRINUSE');
  await release();
  await release();
});
