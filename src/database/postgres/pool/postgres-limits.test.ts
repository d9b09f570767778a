import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { databases } from '../../../../test/harness/engines.ts';
import { Problem } from '../../../platform/errors.ts';
import type { Database, Db } from '../../database.ts';
import { withMigrationLock } from '../../locks/migration-lock.ts';
import { openDatabase } from '../../open-database.ts';

const sleeping = 'select pg_sleep(100), now() as at';
const running = `select count(*) as n from pg_stat_activity where state = 'active' and query like 'select pg_sleep(100) where%'`;
const code = (expected: string) => (error: unknown) => error instanceof Problem && error.code === expected;

describe('Time limits on PostgreSQL', () => {
  const create = databases('postgres');
  let database: Database;
  before(async () => {
    const { url, dir } = await create();
    database = await openDatabase({ databaseUrl: url, databasePoolSize: 1, readTimeout: 1, workingDir: dir });
  });
  after(() => database.close());

  const limitOf = async (db: Db) =>
    (await sql<{ ms: string }>`select current_setting('statement_timeout') as ms`.execute(db)).rows[0]?.ms;

  const pauseOf = async (db: Db) =>
    (await sql<{ ms: string }>`select current_setting('idle_in_transaction_session_timeout') as ms`.execute(db)).rows[0]
      ?.ms;

  it('are enforced by the server, for every statement and every pause of a transaction', async () => {
    assert.equal(await limitOf(database.db), '1s');
    assert.equal(await database.db.transaction().execute(limitOf), '10s');
    assert.equal(await withMigrationLock(database, limitOf), '1h');
    assert.equal(await database.db.transaction().execute(pauseOf), '15s');
    assert.equal(await limitOf(database.db), '1s');
  });

  it('cancel a read and keep its connection usable', async () => {
    const backend = async () => await database.readFirst<{ pid: number }>('select pg_backend_pid() as pid', []);
    const before = await backend();
    await assert.rejects(async () => database.read(sleeping, []), code('too_expensive'));
    await assert.rejects(async () => database.read(sleeping, [], undefined, true), code('too_expensive'));
    await assert.rejects(sql.raw(sleeping).execute(database.db), code('too_expensive'));
    assert.deepEqual(await backend(), before);
  });

  it('cancel a read whose caller has disconnected, even if the pool is exhausted', async () => {
    let leave: () => void = () => undefined;
    const reader = {
      caller: 'somebody',
      onDisconnect(gone: () => void) {
        leave = gone;
        return () => undefined;
      },
    };
    const reading = database.read(`select pg_sleep(100) where /*row*/ true`, [], reader);
    // Continues only when the statement is running.
    while ((await database.readFirst<{ n: number }>(running, []))?.n !== 1) await new Promise(setImmediate);
    leave();
    await assert.rejects(async () => reading);
    while ((await database.readFirst<{ n: number }>(running, []))?.n !== 0) await new Promise(setImmediate);
  });

  it('cancel a statement of a transaction with a retryable error', async () => {
    const late = database.db.transaction().execute(async (tx) => {
      await sql`set local statement_timeout = 10`.execute(tx);
      await sql.raw(sleeping).execute(tx);
    });
    await assert.rejects(late, code('unavailable'));
  });

  it('respond like a lack of disk, memory or connections, and like a read-only database', async () => {
    for (const state of ['25006', '53100', '53200', '53300', '55P03', '57P01', '57P02', '57P03', '58030']) {
      const fail = sql.raw(`do $$ begin raise exception 'so it is' using errcode = '${state}'; end $$`);
      await assert.rejects(fail.execute(database.db), code('unavailable'), state);
      await assert.rejects(
        database.db.transaction().execute((tx) => fail.execute(tx)),
        code('unavailable'),
        state,
      );
    }
  });
});
