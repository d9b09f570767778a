import assert from 'node:assert/strict';
import { it } from 'node:test';
import { contexts, type TestContext } from '../../../test/harness/contexts.ts';
import { onBothEngines } from '../../../test/harness/engines.ts';
import { pruneSignInData } from '../prune-store.ts';
import { beginAttempt, countAgainstLimits, networkLimits } from './throttle.ts';

const minute = 60_000;
const limit = { key: 'login:account:ada', max: 10, of: 'account', resetOnSuccess: true };

onBothEngines('Throttles', (engine) => {
  const open = contexts(engine);
  const isRefused = async (context: TestContext) => (await beginAttempt(context, [limit])).exceededLimits.length > 0;

  it('count attempts in progress, and forget those that never end', async () => {
    const context = await open();
    // This many instances crash while they check a right password.
    for (let i = 0; i < 10; i++) assert.equal(await isRefused(context), false);
    assert.equal(await isRefused(context), true);
    context.advance(15_001);
    assert.equal(await isRefused(context), false);
  });

  it('keep failures for their window, regardless of successful attempts', async () => {
    const context = await open();
    for (let i = 0; i < 9; i++) await (await beginAttempt(context, [limit])).count();
    for (let i = 0; i < 20; i++) {
      const attempt = await beginAttempt(context, [limit]);
      assert.deepEqual(attempt.exceededLimits, []);
      await attempt.release();
    }
    await (await beginAttempt(context, [limit])).count();
    context.advance(14 * minute);
    const [exceeded] = (await beginAttempt(context, [limit])).exceededLimits;
    assert.deepEqual(exceeded, { of: 'account', retryAfterSeconds: 60, first: true });
    assert.equal((await beginAttempt(context, [limit])).exceededLimits[0]?.first, false);
    context.advance(minute);
    assert.equal(await isRefused(context), false);
  });

  it('allow exactly their limit of concurrent attempts', async () => {
    const context = await open();
    const attempts = await Promise.all(Array.from({ length: 50 }, () => beginAttempt(context, [limit])));
    assert.equal(attempts.filter(({ exceededLimits }) => exceededLimits.length === 0).length, 10);
  });

  it('count a failure even if its row was pruned meanwhile', async () => {
    const context = await open();
    for (let i = 0; i < 10; i++) {
      const attempt = await beginAttempt(context, [limit]);
      context.advance(20_000);
      await pruneSignInData(context);
      await attempt.count();
    }
    assert.equal(await isRefused(context), true);
  });

  it('are pruned in batches, and only if they hold no failure and no attempt in progress', async () => {
    const context = await open();
    const { db } = context.database;
    const now = context.now();
    const rows = Array.from({ length: 1000 }, (_, i) => ({ key: `old:${i}`, count: 1, expires_at: now }));
    await db.insertInto('throttles').values(rows).execute();
    await (await beginAttempt(context, [limit])).count();
    await beginAttempt(context, [{ ...limit, key: 'under way' }]);
    await pruneSignInData(context);
    const left = await db.selectFrom('throttles').select('key').orderBy('key').execute();
    assert.deepEqual(
      left.map(({ key }) => key),
      ['login:account:ada', 'under way'],
    );
  });

  it('limit a network, and with a higher limit the networks around it', async () => {
    const context = await open();
    const count = (address: string) => countAgainstLimits(context, networkLimits('taken', address, 5), 60 * minute);
    for (let i = 0; i < 5; i++) assert.equal(await count('2001:db8:1:1::1'), undefined);
    assert.equal((await count('2001:db8:1:1::2'))?.of, 'address');
    for (let i = 0; i < 14; i++) assert.equal(await count(`2001:db8:1:${i + 2}::1`), undefined);
    assert.equal((await count('2001:db8:1:ffff::1'))?.of, 'address', 'the /48 has reached its limit');
    assert.equal(await count('2001:db8:2::1'), undefined);
    for (let i = 0; i < 5; i++) assert.equal(await count('10.0.0.1'), undefined);
    assert.equal((await count('10.0.0.1'))?.of, 'address');
    assert.equal(await count('10.0.0.2'), undefined);
  });
});
