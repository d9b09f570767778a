import type { Connection, RowDataPacket } from 'mysql2/promise';
import { OperatorError, reasonOf } from '../../../src/platform/errors.ts';
import { type ColumnKind, createQueries, type Source, type SourceRow, withoutNul } from './source.ts';

const quote = (name: string) => `\`${name.replaceAll('`', '``')}\``;

/** MySQL or MariaDB, in one read-only transaction with a snapshot of its start. */
export async function openMysqlSource(url: string): Promise<Source> {
  const { createConnection } = await import('mysql2/promise');
  let connection: Connection;
  try {
    connection = await createConnection({
      uri: url.replace(/^mariadb:/, 'mysql:'),
      charset: 'utf8mb4',
      // The text of the server, so that the driver does not convert dates or numbers.
      typeCast: (field) => (field.type === 'BIT' ? bits(field.buffer()) : withoutNul(field.string('utf8'))),
      connectTimeout: 15_000,
    });
  } catch (error) {
    throw new OperatorError(`The MySQL server of --from did not respond: ${reasonOf(error)}`);
  }
  connection.on('error', () => undefined);
  const all = async <K extends string>(text: string, values: readonly unknown[] = []): Promise<SourceRow<K>[]> => {
    try {
      return (await connection.query<RowDataPacket[]>(text, [...values]))[0] as SourceRow<K>[];
    } catch (error) {
      throw new OperatorError(`The MySQL server of --from rejected a query: ${reasonOf(error)}`);
    }
  };
  try {
    await connection.query('set session transaction isolation level repeatable read');
    await connection.query('set session wait_timeout = 86400');
    await connection.query('start transaction with consistent snapshot, read only');
  } catch (error) {
    connection.destroy();
    throw new OperatorError(`The MySQL of --from gives no snapshot: ${reasonOf(error)}`);
  }
  return {
    async tables() {
      const tables = new Map<string, Map<string, ColumnKind>>();
      const rows = await all<'t' | 'c'>(
        `select table_name as t, column_name as c, data_type as d from information_schema.columns
         where table_schema = database()`,
      );
      for (const { t, c, d } of rows) {
        const columns = tables.get(t) ?? new Map<string, ColumnKind>();
        tables.set(t, columns.set(c, kindOf(d)));
      }
      // MySQL hides columns that the user may not read. They may limit a role or mark a lock.
      const partly =
        'select distinct table_name as t from information_schema.column_privileges where table_schema = database()';
      for (const { t } of await all<'t'>(partly)) {
        await all(`select * from ${quote(t)} limit 0`).catch(() => tables.get(t)?.set(hidden, 'other'));
      }
      return tables;
    },
    // MySQL would compare a number with a text as a floating-point number.
    ...createQueries({ quote, toValue: (kind, key) => (kind === 'number' ? BigInt(key) : key), all }),
    close: () => connection.end(),
  };
}

function kindOf(type: string | null | undefined): ColumnKind {
  if (/binary|blob/.test(type ?? '')) return 'binary';
  return /int|decimal/.test(type ?? '') ? 'number' : 'other';
}

/** A BIT column comes as bytes. */
const bits = (bytes: Buffer | null) => (bytes === null ? null : BigInt(`0x${bytes.toString('hex')}`).toString());

/** Represents the columns that the user may not read. No query names it. */
const hidden = '(hidden columns)';
