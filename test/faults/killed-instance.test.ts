import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { ended } from '../harness/command.ts';
import { createTestDatabase } from '../harness/engines.ts';
import { trials } from '../harness/trial.ts';

const rounds = 8;

const childrenOf = (pid: number): number[] =>
  execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean)
    .map(Number);

describe('An instance that is killed (SIGKILL) under load', () => {
  const begin = trials();

  it('starts again on its SQLite file, eight times: nothing acknowledged is lost', async (t) => {
    const { oracle, start, leave } = await begin({});
    let server = await start();
    oracle.begin(6);
    for (let round = 0; round < rounds; round++) {
      await oracle.succeeds(100);
      server.child.kill('SIGKILL');
      await ended(server.child);
      const next = await start();
      leave(server);
      server = next;
    }
    await oracle.succeeds(100);
    await oracle.end();
    t.diagnostic(await oracle.check());
  });

  it('does not affect the other instance on PostgreSQL, eight times', async (t) => {
    const database = await createTestDatabase('postgres');
    t.after(() => database.remove());
    const { oracle, start, leave } = await begin({ DATABASE_URL: database.url, BASE_URL: 'http://auth.example' });
    let [one, other] = [await start(), await start({ DATA_DIR: 'other' })];
    oracle.begin(6);
    for (let round = 0; round < rounds; round++) {
      await oracle.succeeds(100);
      one.child.kill('SIGKILL');
      await ended(one.child);
      leave(one);
      await oracle.succeeds(20);
      [one, other] = [other, await start({ DATA_DIR: `again-${round}` })];
    }
    await oracle.succeeds(100);
    await oracle.end();
    t.diagnostic(await oracle.check());
  });

  it('serves with two workers, one of which is killed, eight times', async (t) => {
    const { oracle, start } = await begin({});
    const { child, lines } = await start({ WORKERS: '2' });
    const serving = () => lines.filter((line) => line.includes('a worker serves')).length;
    oracle.begin(6);
    for (let round = 0; round < rounds; round++) {
      await oracle.succeeds(100);
      while (serving() < round + 2) await new Promise((resolve) => setTimeout(resolve, 50));
      const [worker] = childrenOf(child.pid as number);
      if (worker !== undefined) process.kill(worker, 'SIGKILL');
    }
    await oracle.succeeds(100);
    await oracle.end();
    t.diagnostic(await oracle.check());
  });
});
