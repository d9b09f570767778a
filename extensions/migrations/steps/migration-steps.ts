import type { Engine } from '../../../src/database/database.ts';
import { columnTypes, currentTimeSql } from '../../../src/database/migration.ts';
import type { ColumnSchema } from '../../../src/resources/declaration/fields/column-schema.ts';
import type { IndexSchema, TableSchema } from '../../../src/resources/schemas/storage-schema.ts';
import { type Fragment, quoted, raw, sql } from '../../../src/resources/sql/sql-text.ts';
import { foldColumn, type RowWork } from './compute-column.ts';

export interface Step {
  readonly description: string;
  readonly statements: readonly Fragment[];
  /** Runs after the statements. On PostgreSQL, it runs before the transaction if the table exists. */
  readonly rows?: RowWork;
  /** The statements that follow the work on rows. */
  readonly finish?: readonly Fragment[];
  readonly dropsIndex?: { readonly table: string; readonly name: string } & IndexSchema;
  readonly dropsColumn?: { readonly table: string; readonly name: string };
  /** On PostgreSQL: an added column. Its statements can be repeated. */
  readonly column?: { readonly table: string; readonly name: string };
  /** An index. On PostgreSQL, `concurrently` creates it, if necessary on temporary columns. */
  readonly index?: {
    readonly table: string;
    readonly name: string;
    readonly columns: readonly string[];
    readonly unique: boolean;
    concurrently(name: string, columnName: (column: string) => string): Fragment;
  };
  /** On PostgreSQL: a column that a new column replaces. An index finds the rows that are not converted yet. */
  readonly recast?: {
    readonly table: string;
    readonly column: string;
    readonly temporary: string;
    readonly remainingIndex: { readonly name: string; readonly createSql: Fragment };
  };
  /** The step changes only rows. After it has run, no later plan contains it. */
  readonly rowsOnly?: true;
  /** The name of the dropped column or table in the messages for the operator. */
  readonly drops?: string;
}

const typeOf = (engine: Engine, { storage }: ColumnSchema): string => columnTypes(engine)[storage];

const referenceText = ({ references }: ColumnSchema): string => {
  if (!references) return '';
  // "restrict" becomes the default "no action": both reject the delete, and "no action" has the same error code on both engines.
  const action = references.onDelete === 'restrict' ? '' : ` on delete ${references.onDelete}`;
  return ` references ${quoted(references.table)} ("id")${action}`;
};

/**
 * Declared columns are nullable in the database. The resource engine checks required fields, so that a changed declaration needs no table
 * lock.
 */
export const columnText = (engine: Engine, name: string, column: ColumnSchema): string => {
  const implicit = name === 'created_at' || name === 'updated_at' ? ' not null' : '';
  // On PostgreSQL, references are added after all tables, because tables may refer to each other.
  return `${quoted(name)} ${typeOf(engine, column)}${implicit}${engine === 'sqlite' ? referenceText(column) : ''}`;
};

function createTable(engine: Engine, { table, columns }: TableSchema): Step {
  const { text } = columnTypes(engine);
  const columnTexts = Object.entries(columns).map(([name, column]) => {
    const isImplicit = name === 'created_at' || name === 'updated_at';
    // For inserts by SQL of the operator.
    return `${columnText(engine, name, column)}${isImplicit ? ` default (${currentTimeSql(engine)})` : ''}`;
  });
  const allColumns = [`"id" ${text} primary key`, ...columnTexts, '"version" integer not null default 1'].join(', ');
  return {
    description: `create the table "${table}"`,
    statements: [raw(`create table ${quoted(table)} (${allColumns})`)],
  };
}

/** Creates tables, then their references and indexes. `withIndexes: false`: the caller creates the indexes later. */
export const createTables = (engine: Engine, schemas: readonly TableSchema[], { withIndexes = true } = {}): Step[] => [
  ...schemas.map((schema) => createTable(engine, schema)),
  ...schemas.flatMap(({ table, columns }) =>
    Object.entries(columns).flatMap(([name, column]) => addReference(engine, table, name, column)),
  ),
  ...schemas.flatMap(({ table, indexes }) =>
    Object.entries(withIndexes ? indexes : {}).map(([name, index]) => createIndex(engine, table, name, index)),
  ),
];

/** Only for PostgreSQL. On SQLite, the column contains the reference. */
export function addReference(engine: Engine, table: string, name: string, column: ColumnSchema): Step[] {
  if (engine === 'sqlite' || !column.references) return [];
  return [
    {
      description: `add the reference from "${table}.${name}" to "${column.references.table}"`,
      // New rows are checked immediately. `validateReferences` checks existing rows afterwards, without a lock.
      statements: [
        raw(`alter table ${quoted(table)} add foreign key (${quoted(name)})${referenceText(column)} not valid`),
      ],
    },
  ];
}

export function addColumn(engine: Engine, table: string, name: string, column: ColumnSchema): Step[] {
  const description = `add the column "${name}" to "${table}"`;
  const isFilled = column.default !== undefined && column.default !== null;
  const fill = column.from && !isFilled ? { rows: foldColumn(table, column.from, name) } : {};
  if (engine === 'postgres') {
    const statements = addToPostgres(table, name, column);
    const added = { description, statements, column: { table, name }, ...fill };
    return [added, ...addReference(engine, table, name, column)];
  }
  const add = `alter table ${quoted(table)} add column ${columnText(engine, name, column)}`;
  if (!isFilled) return [{ description, statements: [raw(add)], ...fill }];
  // SQLite cannot add a column with both a reference and a default.
  const statements = column.references
    ? [raw(add), sql`update ${raw(quoted(table))} set ${raw(quoted(name))} = ${column.default}`]
    : [raw(`${add} default ${literal(column.default)}`)];
  return [{ description, statements, ...fill }];
}

/** With a default, PostgreSQL rewrites no row. The default stays for inserts of an older version that does not know the column. */
function addToPostgres(table: string, name: string, column: ColumnSchema): Fragment[] {
  const add = `alter table ${quoted(table)} add column if not exists ${columnText('postgres', name, column)}`;
  if (column.default === undefined || column.default === null) return [raw(add)];
  return [raw(`${add} default ${literal(column.default)}`)];
}

const literal = (value: unknown): string =>
  typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`;

export const dropColumn = (
  table: string,
  name: string,
  { drops, reason = '' }: { readonly drops?: string; readonly reason?: string } = {},
): Step => ({
  description: `drop the column "${name}" of "${table}"${reason}`,
  dropsColumn: { table, name },
  ...(drops ? { drops } : {}),
  statements: [raw(`alter table ${quoted(table)} drop column ${quoted(name)}`)],
});

/** The table and the columns of an index. `columnName` returns the temporary names of columns that are being replaced. */
export function indexOn(
  engine: Engine,
  table: string,
  { columns, nullable, unique, ofKept }: IndexSchema,
  columnName = (column: string) => column,
): string {
  const texts = columns.map((column, i) => {
    const nulls = engine === 'postgres' && i === 0 && nullable && !unique ? ' nulls first' : '';
    return `${quoted(columnName(column))}${nulls}`;
  });
  return `${quoted(table)} (${texts.join(', ')})${ofKept ? ' where "deleted_at" is null' : ''}`;
}

export function createIndex(engine: Engine, table: string, name: string, index: IndexSchema): Step {
  const { unique } = index;
  const indexTarget = (columnName?: (column: string) => string) => `on ${indexOn(engine, table, index, columnName)}`;
  const kind = unique ? 'unique index' : 'index';
  const concurrently = (indexName: string, columnName: (column: string) => string) =>
    raw(`create ${kind} concurrently if not exists ${quoted(indexName)} ${indexTarget(columnName)}`);
  return {
    description: `make the ${unique ? 'unique ' : ''}index "${name}"`,
    statements: [raw(`create ${kind} ${quoted(name)} ${indexTarget()}`)],
    index: { table, name, columns: index.columns, unique, concurrently },
  };
}

export const dropIndex = (table: string, name: string, index: IndexSchema): Step => ({
  description: `drop the index "${name}"`,
  dropsIndex: { table, name, ...index },
  // The index may not exist yet.
  statements: [raw(`drop index if exists ${quoted(name)}`)],
});
