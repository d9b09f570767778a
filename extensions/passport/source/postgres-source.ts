import pg from 'pg';
import { OperatorError, reasonOf } from '../../../src/platform/errors.ts';
import { type ColumnKind, createQueries, type Source, type SourceRow } from './source.ts';

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** The text of the server, so that the driver does not convert dates or numbers. */
const asTheyCome = {
  getTypeParser:
    () =>
    <Value>(value: Value) =>
      value,
};

/** PostgreSQL, in one read-only transaction with a snapshot of its start. */
export async function openPostgresSource(url: string): Promise<Source> {
  const client = new pg.Client({ connectionString: url, types: asTheyCome, application_name: 'gatehouse import' });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query("set time zone 'UTC'; set datestyle to 'ISO, YMD'; set bytea_output to 'hex'");
    await client.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0');
    await client.query('begin isolation level repeatable read read only');
  } catch (error) {
    await client.end().catch(() => undefined);
    throw new OperatorError(`The PostgreSQL server of --from did not respond: ${reasonOf(error)}`);
  }
  const all = async <K extends string>(text: string, values: readonly unknown[] = []): Promise<SourceRow<K>[]> => {
    try {
      return (await client.query(text, [...values])).rows;
    } catch (error) {
      throw new OperatorError(`The PostgreSQL server of --from rejected a query: ${reasonOf(error)}`);
    }
  };
  return {
    async tables() {
      const tables = new Map<string, Map<string, ColumnKind>>();
      // Includes columns that the user may not read, unlike information_schema.
      const rows = await all<'table_name' | 'column_name'>(
        `select relname as table_name, attname as column_name, format_type(atttypid, null) as data_type
         from pg_attribute join pg_class on pg_class.oid = attrelid join pg_namespace on pg_namespace.oid = relnamespace
         where attnum > 0 and not attisdropped and relkind in ('r', 'p', 'v', 'm', 'f')
           and nspname = any (current_schemas(false)) and pg_table_is_visible(pg_class.oid)
           and (has_table_privilege(pg_class.oid, 'select') or has_any_column_privilege(pg_class.oid, 'select'))`,
      );
      for (const { table_name, column_name, data_type } of rows) {
        const columns = tables.get(table_name) ?? new Map<string, ColumnKind>();
        tables.set(table_name, columns.set(column_name, kindOf(data_type)));
      }
      return tables;
    },
    ...createQueries({ quote, slot: (n) => `$${n}`, all }),
    close: () => client.end(),
  };
}

function kindOf(type: string | null | undefined): ColumnKind {
  if (type === 'uuid' || type === 'bytea') return type === 'uuid' ? 'uuid' : 'binary';
  return /int|numeric/.test(type ?? '') ? 'number' : 'other';
}
