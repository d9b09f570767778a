import { describe, it } from 'node:test';
import { createTestDatabase } from '../harness/engines.ts';
import { tcpProxies } from '../harness/tcp-proxy.ts';
import { trials } from '../harness/trial.ts';

describe('Connections to PostgreSQL that silently lose all data', () => {
  const begin = trials();
  const proxied = tcpProxies();

  it('are closed and replaced, three times: no pooled connection stays stuck, and nothing is lost', async (t) => {
    const database = await createTestDatabase('postgres');
    t.after(() => database.remove());
    const proxy = await proxied(database.url);
    const { oracle, start } = await begin({ DATABASE_URL: proxy.url, BASE_URL: 'http://auth.example' });
    await start();
    // More requests than the pool has connections, so that every connection is in use.
    oracle.begin(16);
    for (let round = 0; round < 3; round++) {
      await oracle.succeeds(300);
      proxy.strand();
    }
    await oracle.succeeds(600);
    await oracle.end();
    t.diagnostic(await oracle.check());
  });
});
