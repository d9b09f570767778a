import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { OperatorError, reasonOf } from '../../../src/platform/errors.ts';
import { type ColumnKind, type Columns, createQueries, type Source, type SourceRow, withoutNul } from './source.ts';

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** SQLite, read-only, in one read transaction. */
export function openSqliteSource(path: string): Source {
  if (!existsSync(path)) throw new OperatorError(`There is no file ${path}.`);
  const db = open(path);
  const all = <K extends string>(text: string, values: readonly unknown[] = []): SourceRow<K>[] => {
    const statement = db.prepare(text);
    // Ids may exceed the safe integers of JavaScript.
    statement.setReadBigInts(true);
    return statement.all(...(values as string[])).map(asText) as SourceRow<K>[];
  };
  return {
    async tables() {
      const tables = new Map<string, Columns>();
      for (const { name } of all<'name'>("select name from sqlite_master where type in ('table', 'view')")) {
        const columns = all<'name'>(`pragma table_xinfo(${quote(name)})`);
        tables.set(name, new Map(columns.map((column) => [column.name, kindOf(column.type)])));
      }
      return tables;
    },
    ...createQueries({ quote, hasNullKeys: true, all: async (text, values) => all(text, values) }),
    async close() {
      db.close();
    },
  };
}

function open(path: string): DatabaseSync {
  try {
    const db = new DatabaseSync(path, { readOnly: true });
    db.exec('begin');
    db.prepare('select count(*) from sqlite_master').get();
    return db;
  } catch (error) {
    throw new OperatorError(`${path} could not be read as SQLite: ${reasonOf(error)}`);
  }
}

const kindOf = (type: string | null | undefined): ColumnKind => (/int|numeric/i.test(type ?? '') ? 'number' : 'other');

function asText(row: Record<string, unknown>): SourceRow {
  const texts: Record<string, string | null> = {};
  for (const [name, value] of Object.entries(row)) {
    if (value === null || value === undefined) texts[name] = null;
    else texts[name] = withoutNul(value instanceof Uint8Array ? Buffer.from(value).toString() : String(value));
  }
  return texts;
}
