import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { contexts } from '../../../../test/harness/contexts.ts';
import type { Reader } from '../../reader.ts';

describe('Statements with texts of callers', () => {
  const make = contexts('postgres');
  const reader: Reader = { caller: 'somebody', onDisconnect: () => () => undefined };

  it('are prepared at their second use, up to a limit', async () => {
    const { database } = await make({ env: { DATABASE_POOL_SIZE: '1' } });
    const read = async (text: string, value: number) =>
      (await database.read<{ n: number }>(`select ${text} as n`, [value], reader, true))[0]?.n;
    const prepared = async () =>
      (
        await sql<{ statement: string }>`select statement from pg_prepared_statements where name like 'r%'`.execute(
          database.db,
        )
      ).rows.map(({ statement }) => statement);
    assert.equal(await read('$1::int + 1', 1), 2);
    assert.deepEqual(await prepared(), [], 'the statement may never be used again');
    assert.equal(await read('$1::int + 1', 2), 3);
    assert.equal(await read('$1::int + 1', 3), 4);
    assert.deepEqual(await prepared(), ['select $1::int + 1 as n']);
    for (let n = 100; n < 152; n++) {
      for (const value of [1, 2]) assert.equal(await read(`$1::int + ${n}`, value), value + n);
    }
    const kept = await prepared();
    assert.equal(kept.length, 50);
    assert.ok(kept.includes('select $1::int + 151 as n'));
    assert.equal(await read('$1::int + 1', 4), 5, 'a forgotten statement is prepared again');
  });
});
