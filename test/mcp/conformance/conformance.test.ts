import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { addApplication } from '../../harness/applications.ts';
import { press, signedIn } from '../../harness/authorizing.ts';
import { freePort } from '../../harness/reverse-proxy.ts';
import { services } from '../../harness/service.ts';
import { bringClients } from '../../published-clients/bring-clients.ts';

describe('The conformance suite of the Model Context Protocol', { timeout: 300_000 }, () => {
  const start = services('sqlite');

  it('accepts the service as an authorization server', async (test) => {
    const bring = await bringClients(new URL('.', import.meta.url));
    if (!bring) return test.skip('the registry cannot be reached');
    const service = await start();
    const port = await freePort();
    const { visitor } = await signedIn(service);
    // If a server accepts public clients, the suite acts as one, even if it has a secret.
    const redirect_uris = [`http://127.0.0.1:${port}/callback`];
    const { id } = await addApplication(service, { public: true, scopes: ['openid', 'users:read'], redirect_uris });
    const suite = join(dirname(bring.resolve('commander')), '../@modelcontextprotocol/conformance/dist/index.js');
    const issuer = service.context.config.baseUrl;
    const args = ['authorization', '--url', issuer, '--resource', `${issuer}/mcp`, '--client-id', id];
    const child = spawn(process.execPath, [suite, ...args, '-p', String(port)]);
    test.after(() => void child.kill());
    /** The suite announces its address before it listens. */
    const arrive = async (location: string): Promise<void> => {
      while (child.exitCode === null && !(await fetch(location).catch(() => undefined)));
    };
    let output = '';
    let isSent = false;
    child.stdout.on('data', (chunk) => {
      output += chunk;
      const address = /^(http\S+\/oauth\/authorize\?\S+)\n/m.exec(output)?.[1];
      if (!address || isSent) return;
      isSent = true;
      const { pathname, search } = new URL(address);
      void visitor
        .get(pathname + search)
        .then((page) => press(visitor, page, 'allow'))
        .then(({ location }) => arrive(location ?? ''));
    });
    child.stderr.on('data', (chunk) => {
      output += chunk;
    });
    const [code] = await once(child, 'close');
    assert.equal(code, 0, output);
    for (const scenario of ['authorization-server-metadata-endpoint', 'authorization-code-grant']) {
      assert.match(output, new RegExp(`✓ ${scenario}: 1 passed, 0 failed`), output);
    }
  });
});
