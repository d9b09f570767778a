import { after, before, describe, it } from 'node:test';
import { createPostgres, type PostgresServer } from '../harness/postgres-server.ts';
import { trials } from '../harness/trial.ts';

describe('PostgreSQL under load, with two instances', () => {
  const begin = trials();
  let postgres: PostgresServer;
  before(async () => {
    postgres = await createPostgres();
  });
  after(() => postgres.remove());

  it('is killed and started again, six times: nothing acknowledged is lost', async (t) => {
    const { oracle, start } = await begin({ DATABASE_URL: postgres.url, BASE_URL: 'http://auth.example' });
    await start();
    await start({ DATA_DIR: 'other' });
    oracle.begin(6);
    for (let round = 0; round < 6; round++) {
      await oracle.succeeds(150);
      await (round % 2 === 0 ? postgres.kill() : postgres.stop());
      await postgres.start();
    }
    await oracle.succeeds(150);
    await oracle.end();
    t.diagnostic(await oracle.check());
  });
});
