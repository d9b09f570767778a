import { DatabaseSync } from 'node:sqlite';
import { type ArrayStatement, prepareArrays } from '../../../src/database/sqlite/array-statement.ts';
import { OperatorError, reasonOf } from '../../../src/platform/errors.ts';
import { dropProgressSql, parseMoveState, parsePosition } from './progress-table.ts';
import {
  type CopiedColumn,
  type CopiedTable,
  type Key,
  type Position,
  pageBytes,
  pageRows,
  quote,
  type Row,
  type TableWriter,
  type Value,
} from './tables.ts';

const writePosition =
  'insert into move_progress (name, position) values (?, ?) on conflict (name) do update set position = excluded.position';

const kinds = new Map<string, CopiedColumn['kind']>([
  ['TEXT', 'text'],
  ['INTEGER', 'integer'],
  ['REAL', 'real'],
]);

/** A SQLite file, locked exclusively against services and commands. */
export class SqliteTables implements TableWriter {
  readonly #file: DatabaseSync;
  readonly #statements = new Map<string, ArrayStatement>();

  constructor(path: string) {
    this.#file = new DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: false });
    try {
      // Held until the file is closed, also in WAL mode.
      this.#file.exec('pragma locking_mode = exclusive; begin exclusive; commit');
      this.#file.exec('pragma synchronous = normal; pragma cache_size = -32000; pragma temp_store = memory');
    } catch (error) {
      this.#file.close();
      throw new OperatorError(
        `${path} is in use (${reasonOf(error)}). Stop the service and every other program that has it open. The database must not change during the move.`,
      );
    }
  }

  async tables(): Promise<ReadonlyMap<string, CopiedTable>> {
    const names = this.#all<[string]>(
      `select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\' order by name`,
    );
    return new Map(names.map(([name]) => [name, this.#describe(name)]));
  }

  #describe(name: string): CopiedTable {
    const rows = this.#all<[string, string, number]>(
      'select name, upper(type), pk from pragma_table_info(?) order by cid',
      [name],
    );
    const columns = rows.map(([column, type]) => ({ name: column, kind: kinds.get(type), type }));
    const key = rows.filter(([, , pk]) => pk !== 0).sort((a, b) => a[2] - b[2]);
    return { name, columns, key: key.map(([column]) => column) };
  }

  async count(table: string): Promise<number> {
    return this.#all<[number]>(`select count(*) from ${quote(table)}`)[0]?.[0] ?? 0;
  }

  async page(table: CopiedTable, after: Key | undefined): Promise<readonly Row[]> {
    const statement = this.#prepare(selectPage(table, after !== undefined));
    const rows: Row[] = [];
    let bytes = 0;
    for (const values of statement.iterate<Row>(...(after ?? []))) {
      rows.push(values);
      for (const value of values) bytes += typeof value === 'string' ? value.length : 8;
      if (bytes >= pageBytes) break;
    }
    return rows;
  }

  async position(table: string): Promise<Position> {
    return parsePosition(this.#readPosition(table));
  }

  async insert({ name, columns }: CopiedTable, rows: readonly Row[], position: Position): Promise<void> {
    const names = columns.map((column) => quote(column.name)).join(', ');
    const insert = this.#prepare(`insert into ${quote(name)} (${names}) values (${columns.map(() => '?').join(', ')})`);
    this.#inTransaction(() => {
      for (const row of rows) insert.run(...row);
      this.#prepare(writePosition).run(name, JSON.stringify(position));
    });
  }

  async complete(): Promise<void> {
    const setup = parseMoveState(this.#readPosition(''));
    this.#inTransaction(() => {
      for (const statement of setup.later) this.#file.exec(statement);
      this.#prepare(writePosition).run('', JSON.stringify({ ...setup, later: [] }));
    });
    const [orphan] = this.#all('pragma foreign_key_check');
    if (orphan) throw new OperatorError(`A row of ${orphan[0]} refers to a row of ${orphan[2]} that does not exist.`);
  }

  async release(): Promise<void> {
    this.#inTransaction(() => {
      for (const statement of dropProgressSql) this.#file.exec(statement);
    });
    this.#file.exec('pragma synchronous = full; pragma wal_checkpoint(truncate)');
  }

  async close(): Promise<void> {
    this.#file.close();
  }

  #inTransaction(work: () => void): void {
    this.#file.exec('begin immediate');
    try {
      work();
      this.#file.exec('commit');
    } catch (error) {
      this.#file.exec('rollback');
      throw error;
    }
  }

  #all<R extends Value[]>(sql: string, values: readonly Value[] = []): R[] {
    return this.#prepare(sql).all<R>(...values);
  }

  #readPosition(name: string): string | undefined {
    return this.#all<[string]>('select position from move_progress where name = ?', [name])[0]?.[0];
  }

  #prepare(sql: string): ArrayStatement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = prepareArrays(this.#file, sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

function selectPage({ name, columns, key }: CopiedTable, goesOn: boolean): string {
  const list = columns.map(({ name: column, kind }) =>
    kind === 'integer' ? `cast(t.${quote(column)} as text)` : `t.${quote(column)}`,
  );
  const keys = key.map((column) => `t.${quote(column)}`).join(', ');
  const where = goesOn ? `where (${keys}) > (${key.map(() => '?').join(', ')})` : '';
  return `select ${list.join(', ')} from ${quote(name)} as t ${where} order by ${keys} limit ${pageRows}`;
}
