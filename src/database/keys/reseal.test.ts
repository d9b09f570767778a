import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { contexts, type TestContext } from '../../../test/harness/contexts.ts';
import { onBothEngines } from '../../../test/harness/engines.ts';
import { openKeyRing } from './key-ring.ts';
import { resealAll } from './reseal.ts';
import { jobLabel, sealedColumns, sealedMark } from './sealed-columns.ts';
import { createSealing, type Sealing } from './sealing.ts';

const [first, second] = ['the first key of this service', 'the second key of this service'];
/** A ticket is valid for one minute. */
const excludedColumns = ['change_tickets.sealed_token'];
/** More rows than several batches have. */
const count = 250;
const idOf = (n: number) => `job-${String(n).padStart(4, '0')}`;

onBothEngines('Values that an earlier secret encrypted', (engine) => {
  const make = contexts(engine);
  const during = { ENCRYPTION_KEY: second, PREVIOUS_ENCRYPTION_KEY: first };

  /** A database with jobs. `sealingOf` encrypts the data of a job. */
  async function withJobs(sealingOf: (n: number, old: Sealing, current: Sealing) => string): Promise<TestContext> {
    const old = await make({ env: { ENCRYPTION_KEY: first } });
    const { sealing } = await openKeyRing(old);
    const context = await make({ env: during, database: old.testDatabase });
    const current = (await openKeyRing(context)).sealing;
    const shared = { name: 'of nobody', subject: null, attempts: 0, next_attempt_at: 0, created_at: 0 };
    const unset = { lease: null, leased_until: null, failed_at: null, last_error: null };
    const rows = Array.from({ length: count }, (_, n) => ({
      ...shared,
      ...unset,
      id: idOf(n),
      data: sealingOf(n, sealing, current),
    }));
    await context.database.db.insertInto('queued_jobs').values(rows).execute();
    return context;
  }
  const sealed = (sealing: Sealing, n: number) =>
    sealedMark + sealing.seal(Buffer.from(`data ${n}`), jobLabel(idOf(n)));
  const dataOf = async ({ database }: TestContext) =>
    (await database.db.selectFrom('queued_jobs').select('data').orderBy('id').execute()).map(({ data }) => data);
  /** The data of the jobs, for an instance that only has the new secret. */
  const openedWithNewSecret = async (context: TestContext) => {
    const { open } = createSealing({ ...context.config, previousEncryptionKey: '' });
    return (await dataOf(context)).map((data, n) => open(data.slice(sealedMark.length), jobLabel(idOf(n))).content);
  };
  const all = Array.from({ length: count }, (_, n) => Buffer.from(`data ${n}`));

  it('are in columns that the list of encrypted columns names', async () => {
    const { database } = await make();
    const { rows } = await (engine === 'sqlite'
      ? sql<{ name: string }>`select m.name || '.' || c.name as name from sqlite_master m
          join pragma_table_info(m.name) c where c.name like 'sealed%'`
      : sql<{ name: string }>`select table_name || '.' || column_name as name from information_schema.columns
          where table_schema = current_schema() and column_name like 'sealed%'`
    ).execute(database.db);
    const listed = sealedColumns.map(({ table, column }) => `${table}.${column}`);
    const named = listed.filter((name) => name.includes('.sealed'));
    assert.deepEqual(rows.map(({ name }) => name).sort(), [...named, ...excludedColumns].sort());
  });

  it('are encrypted again by two instances that start at the same time', async () => {
    const context = await withJobs((n, old) => sealed(old, n));
    const other = await make({ env: during, database: context.testDatabase });
    const rings = [await openKeyRing(context), await openKeyRing(other)] as const;
    await Promise.all([resealAll(context, rings[0].sealing), resealAll(other, rings[1].sealing)]);
    assert.deepEqual(await openedWithNewSecret(context), all);
    const data = await dataOf(context);
    await resealAll(context, rings[0].sealing);
    assert.deepEqual(await dataOf(context), data, 'the next start changes nothing');
  });

  it('are encrypted again by the start after an interrupted one', async () => {
    const context = await withJobs((n, old, current) => sealed(n < 120 ? current : old, n));
    await resealAll(context, (await openKeyRing(context)).sealing);
    assert.deepEqual(await openedWithNewSecret(context), all);
  });

  it('keep a change that is made after they were read', async () => {
    const context = await withJobs((n, old) => sealed(old, n));
    const { sealing } = await openKeyRing(context);
    const change = context.database.db.updateTable('queued_jobs').set({ data: '"changed"' }).where('id', '=', idOf(0));
    let changed: Promise<unknown> | undefined;
    const changing: Sealing = {
      ...sealing,
      open(value, label) {
        changed ??= change.execute();
        return sealing.open(value, label);
      },
    };
    await resealAll(context, changing);
    await changed;
    assert.equal((await dataOf(context))[0], '"changed"');
  });

  it('stay as they are if no secret decrypts them, and plain values too', async () => {
    const lost = createSealing({ ...(await make()).config, encryptionKey: 'a key that nobody has any more' });
    const context = await withJobs((n, old) => (n < 120 ? sealed(lost, n) : n < 150 ? `"plain ${n}"` : sealed(old, n)));
    const data = await dataOf(context);
    await resealAll(context, (await openKeyRing(context)).sealing);
    const after = await dataOf(context);
    assert.deepEqual(after.slice(0, 150), data.slice(0, 150));
    assert.equal(after.slice(150).filter((value) => data.includes(value)).length, 0);
  });
});
