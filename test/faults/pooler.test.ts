import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { createTestDatabase } from '../harness/engines.ts';
import { hasPgBouncer, startPgBouncer } from '../harness/pgbouncer.ts';
import { trials } from '../harness/trial.ts';

const rounds = 6;

describe('PgBouncer under load', { skip: hasPgBouncer ? false : 'PgBouncer is not installed' }, () => {
  const begin = trials();

  it('is killed and started again, and so is one of two workers behind it, six times', async (t) => {
    const database = await createTestDatabase('postgres');
    t.after(() => database.remove());
    const pooler = await startPgBouncer(database.url, 'transaction');
    t.after(() => pooler.end());
    const { oracle, start } = await begin({
      DATABASE_URL: pooler.url,
      DATABASE_LISTEN_URL: database.url,
      BASE_URL: 'http://auth.example',
    });
    const { child, lines } = await start({ WORKERS: '2' });
    const serving = () => lines.filter((line) => line.includes('a worker serves')).length;
    const workers = () =>
      execFileSync('pgrep', ['-P', String(child.pid)], { encoding: 'utf8' })
        .split('\n')
        .filter(Boolean);
    oracle.begin(6);
    for (let round = 0; round < rounds; round++) {
      await oracle.succeeds(100);
      await pooler.restart();
      await oracle.succeeds(50);
      while (serving() < round + 2) await new Promise((resolve) => setTimeout(resolve, 50));
      const [worker] = workers();
      process.kill(Number(worker), 'SIGKILL');
    }
    await oracle.succeeds(100);
    await oracle.end();
    t.diagnostic(await oracle.check());
  });
});
