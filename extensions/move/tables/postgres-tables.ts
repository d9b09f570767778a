import { type ControlledTransaction, type QueryResult, type RawBuilder, sql } from 'kysely';
import type { Database, Tx } from '../../../src/database/database.ts';
import { advisoryLocks } from '../../../src/database/locks/advisory-locks.ts';
import { type InstanceRow, listInstances } from '../../../src/database/postgres/invalidations/instance-table.ts';
import { confirmationTimeoutMs } from '../../../src/database/postgres/invalidations/lease.ts';
import type { Tables } from '../../../src/database/tables/tables.ts';
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

const kinds = new Map<string, CopiedColumn['kind']>([
  ['text', 'text'],
  ['integer', 'integer'],
  ['bigint', 'integer'],
  ['double precision', 'real'],
]);

/** The tables of a PostgreSQL database. One long transaction holds the locks, short ones read and write. */
export class PostgresTables implements TableWriter {
  readonly #database: Database;
  /** Holds the locks. */
  readonly #lockTransaction: ControlledTransaction<Tables>;

  private constructor(database: Database, lockTransaction: ControlledTransaction<Tables>) {
    this.#database = database;
    this.#lockTransaction = lockTransaction;
  }

  /** For reading: locked against other writers until it is closed. */
  static async source(database: Database): Promise<PostgresTables> {
    const tables = new PostgresTables(database, await startLockTransaction(database));
    try {
      await rejectServing(database);
      const names = [...(await tables.tables()).keys()].filter((name) => name !== 'instances');
      await sql`set local lock_timeout = 5000`.execute(tables.#lockTransaction);
      await sql.raw(`lock table ${names.map(quote).join(', ')} in share mode`).execute(tables.#lockTransaction);
    } catch (error) {
      await tables.close();
      if (error instanceof OperatorError) throw error;
      throw new OperatorError(
        `The tables of the database are being written to (${reasonOf(error)}). Stop every service and command that uses it. The database must not change during the move.`,
      );
    }
    return tables;
  }

  /** For writing: one move at a time. */
  static async target(database: Database): Promise<PostgresTables> {
    const tables = new PostgresTables(database, await startLockTransaction(database));
    const { rows } = await sql<{
      free: boolean;
    }>`select pg_try_advisory_xact_lock(${advisoryLocks.move}) as free`.execute(tables.#lockTransaction);
    if (rows[0]?.free) return tables;
    await tables.close();
    throw new OperatorError('Another gatehouse move into this database is running.');
  }

  async tables(): Promise<ReadonlyMap<string, CopiedTable>> {
    const tables = new Map<string, { columns: CopiedColumn[]; key: [number, string][] }>();
    const { rows } = await this.#run(sql<{ table: string; column: string; type: string; place: number | null }>`
      select c.relname as table, a.attname as column, format_type(a.atttypid, null) as type,
             array_position(i.indkey::int2[], a.attnum) as place
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      left join pg_index i on i.indrelid = c.oid and i.indisprimary
      where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace
      order by c.relname, a.attnum`);
    for (const { table, column, type, place } of rows) {
      const entry = tables.get(table) ?? { columns: [], key: [] };
      tables.set(table, entry);
      entry.columns.push({ name: column, kind: kinds.get(type), type });
      if (place !== null) entry.key.push([place, column]);
    }
    return new Map(
      [...tables].map(([name, { columns, key }]) => [
        name,
        { name, columns, key: key.sort(([a], [b]) => a - b).map(([, column]) => column) },
      ]),
    );
  }

  async count(table: string): Promise<number> {
    const { rows } = await this.#run(sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`);
    return Number(rows[0]?.n);
  }

  async page(table: CopiedTable, after: Key | undefined): Promise<readonly Row[]> {
    const names = table.columns.map(({ name }) => name);
    const { rows } = await this.#run(selectPage(table, after));
    return rows.map((row) => names.map((name) => row[name] ?? null));
  }

  async position(table: string): Promise<Position> {
    return parsePosition(await this.#readPosition(table));
  }

  async insert({ name, columns }: CopiedTable, rows: readonly Row[], position: Position): Promise<void> {
    const names = sql.join(columns.map((column) => sql.ref(column.name)));
    const values = columns.map(({ type }, i) => sql`${rows.map((row) => row[i])}::${sql.raw(type)}[]`);
    await this.#inTransaction(async (tx) => {
      await sql`insert into ${sql.table(name)} (${names}) select * from unnest(${sql.join(values)})`.execute(tx);
      await writePosition(tx, name, position);
    });
  }

  async complete(): Promise<void> {
    const setup = parseMoveState(await this.#readPosition(''));
    await this.#inTransaction(async (tx) => {
      for (const statement of setup.later) await sql.raw(statement).execute(tx);
      await writePosition(tx, '', { ...setup, later: [] });
    });
    await this.#run(sql`analyze`);
  }

  async release(): Promise<void> {
    await this.#inTransaction(async (tx) => {
      for (const statement of dropProgressSql) await sql.raw(statement).execute(tx);
    });
  }

  async close(): Promise<void> {
    await this.#lockTransaction.rollback().execute();
    await this.#database.close();
  }

  async #readPosition(name: string): Promise<string | undefined> {
    const read = sql<{ position: string }>`select position from move_progress where name = ${name}`;
    return (await this.#run(read)).rows[0]?.position;
  }

  /** Not in the transaction that holds the locks, because it would also keep the lock of each table that was read. */
  #run<R>(statement: RawBuilder<R>): Promise<QueryResult<R>> {
    return this.#inTransaction((tx) => statement.execute(tx));
  }

  #inTransaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#database.db.transaction().execute(async (tx) => {
      await unlimited(tx);
      return work(tx);
    });
  }
}

async function startLockTransaction(database: Database): Promise<ControlledTransaction<Tables>> {
  const lockTransaction = await database.db.startTransaction().execute();
  await unlimited(lockTransaction);
  return lockTransaction;
}

/** No practical limit for a large table: a day, in milliseconds. */
const maxTimeoutMs = 86_400_000;

async function unlimited(tx: Tx): Promise<void> {
  await sql.raw(`set local statement_timeout = ${maxTimeoutMs}`).execute(tx);
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
}

async function writePosition(tx: Tx, name: string, position: unknown): Promise<void> {
  await sql`insert into move_progress (name, position) values (${name}, ${JSON.stringify(position)})
    on conflict (name) do update set position = excluded.position`.execute(tx);
}

/** A page ends where its rows would exceed the byte limit. It contains at least one row. */
function selectPage(table: CopiedTable, after: Key | undefined) {
  const { name, columns, key } = table;
  const keys = sql.join(key.map((column) => sql.ref(`t.${column}`)));
  const typeOf = (column: string) => columns.find((candidate) => candidate.name === column)?.type as string;
  const last = after && sql.join(after.map((value, i) => sql`${value}::${sql.raw(typeOf(key[i] as string))}`));
  const list = columns.map(({ name: column, kind }) =>
    kind === 'integer'
      ? sql`t.${sql.id(column)}::text as ${sql.id(column)}`
      : sql`t.${sql.id(column)} as ${sql.id(column)}`,
  );
  const texts = columns.filter(({ kind }) => kind === 'text');
  const size = sql.join(
    [sql`0`, ...texts.map((column) => sql`coalesce(octet_length(t.${sql.id(column.name)}), 0)`)],
    sql` + `,
  );
  return sql<Record<string, Value>>`
    select * from (
      select ${sql.join(list)}, sum(${size}) over (order by ${keys} rows unbounded preceding) - (${size}) as bytes_before
      from ${sql.table(name)} as t ${last ? sql`where (${keys}) > (${last})` : sql``}
      order by ${keys} limit ${sql.lit(pageRows)}
    ) as page where bytes_before < ${sql.lit(pageBytes)}`;
}

/** Rejects a PostgreSQL database in use by an instance. A crashed instance no longer renews its row. */
async function rejectServing({ db }: Database): Promise<void> {
  const list = async () => (await sql.raw<InstanceRow>(listInstances).execute(db)).rows;
  const before = new Map((await list()).map(({ id, renewals }) => [id, Number(renewals)]));
  if (before.size === 0) return;
  await new Promise((resolve) => setTimeout(resolve, confirmationTimeoutMs));
  const serving = (await list()).filter(({ id, renewals }) => before.get(id) !== Number(renewals));
  if (serving.length === 0) return;
  throw new OperatorError(
    `${serving.length} ${serving.length === 1 ? 'instance serves' : 'instances serve'} from this database. Stop every service that uses it. The database must not change during the move.`,
  );
}
