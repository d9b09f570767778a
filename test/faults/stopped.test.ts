import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createPostgres, type PostgresServer } from '../harness/postgres-server.ts';
import { trials } from '../harness/trial.ts';

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('Processes that hang (SIGSTOP) under load', () => {
  const begin = trials();
  let postgres: PostgresServer;
  before(async () => {
    postgres = await createPostgres();
  });
  after(() => postgres.remove());

  it('an instance hangs and resumes, five times: it accepts nothing that was revoked meanwhile', async (t) => {
    const { oracle, start, leave } = await begin({ DATABASE_URL: postgres.url, BASE_URL: 'http://auth.example' });
    await start();
    const other = await start({ DATA_DIR: 'other' });
    oracle.begin(6);
    for (let round = 0; round < 5; round++) {
      await oracle.succeeds(100);
      other.child.kill('SIGSTOP');
      // Longer than a lease on invalidations.
      await later(4000);
      other.child.kill('SIGCONT');
    }
    await oracle.succeeds(100);
    await oracle.end();
    t.diagnostic(await oracle.check());
    leave(other);
  });

  it('PostgreSQL hangs and resumes, three times: nothing is lost and nothing stays stuck', async (t) => {
    const { oracle, start } = await begin({ DATABASE_URL: postgres.url, BASE_URL: 'http://auth.example' });
    await start();
    oracle.begin(6);
    for (let round = 0; round < 3; round++) {
      await oracle.succeeds(100);
      const [pid = ''] = readFileSync(join(postgres.data, 'postmaster.pid'), 'utf8').split('\n');
      const all = [pid, ...execFileSync('pgrep', ['-P', pid], { encoding: 'utf8' }).split('\n')].filter(Boolean);
      for (const one of all) process.kill(Number(one), 'SIGSTOP');
      await later(5000);
      for (const one of all) process.kill(Number(one), 'SIGCONT');
    }
    await oracle.succeeds(100);
    await oracle.end();
    t.diagnostic(await oracle.check());
  });
});
