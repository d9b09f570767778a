import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { migrations } from '../../src/database/migrate.ts';
import { columnTypes } from '../../src/database/migration.ts';

/** The statements that break an older version or lock a large table. */
function wrongIn(statements: readonly string[]): string[] {
  const made = new Set(statements.map((text) => /^create table (\w+)/.exec(text)?.[1]));
  return statements.filter((text) => {
    if (/^create table \w+ /.test(text)) return false;
    // On a table with rows, an index would block all writes until it is created. `indexes` are created concurrently.
    const indexed = /^create (?:unique )?index \w+ on (\w+)/.exec(text)?.[1];
    if (indexed) return !made.has(indexed);
    const added = /^alter table \w+ add column (.*)$/s.exec(text)?.[1];
    // A not-null column needs a constant default, because older versions do not write the column and no row is
    // rewritten.
    return (
      !added || (/not null/.test(added) && !/default ('[^']*'|\d+)/.test(added)) || /references|unique/.test(added)
    );
  });
}

describe('Migrations', () => {
  for (const engine of ['sqlite', 'postgres'] as const) {
    it(`only expand, so that an older version can run beside them (${engine})`, () => {
      const ruled = migrations.filter(({ name }) => !/^\d+-contract-/.test(name));
      for (const { name, statements } of ruled)
        assert.deepEqual(wrongIn(statements(columnTypes(engine)).map((text) => text.trim())), [], name);
    });
  }

  it('are detected if they do more than expand', () => {
    const wrong = [
      'drop index users_email',
      'alter table users drop column name',
      'alter table users rename column name to title',
      'create index users_name on users (name)',
      'alter table users add column age integer not null',
      'update users set name = 1',
    ];
    assert.deepEqual(wrongIn(wrong), wrong);
  });
});
