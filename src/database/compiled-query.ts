import type { Compilable } from 'kysely';
import type { Database, Db, Tx, Written } from './database.ts';

class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

interface Compiled {
  readonly query: ReturnType<Compilable['compile']>;
  /** The content of each parameter: the name of a value, or a constant of the query itself. */
  readonly slots: readonly unknown[];
}

/** A query whose text never changes, so that it is built and compiled once and afterwards only bound and run. */
interface PreparedQuery<V, R> {
  /** In a transaction, or where the rest of the function has a query builder at hand. */
  run(db: Db | Tx, values: V): Promise<R[]>;
  /** The shortest way to a SELECT outside of transactions: on SQLite the rows are there at once. */
  read(database: Database, values: V): R[] | Promise<R[]>;
  /** The same for a query of one row. */
  readFirst(database: Database, values: V): R | undefined | Promise<R | undefined>;
  /** The shortest way to a write outside of transactions. */
  write(database: Database, values: V): Promise<Written<R>>;
}

/**
 * `compiledQuery((db, { id }: { id: string }) => db.selectFrom('sessions').selectAll().where('id', '=', id))`
 *
 * Kysely takes longer to build and compile a query than SQLite takes to answer it. That is worth avoiding for the few
 * queries that run at every request.
 */
export function compiledQuery<V extends object, R>(build: (db: Db, values: V) => Compilable<R>): PreparedQuery<V, R> {
  // One compiled text for each kind of engine; a transaction shares its database's adapter.
  const compiled = new WeakMap<object, Compiled>();

  function compile(db: Db | Tx): Compiled {
    const { adapter } = db.getExecutor();
    const known = compiled.get(adapter);
    if (known) return known;
    const placeholders = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) }) as V;
    const query = build(db, placeholders).compile();
    const fresh = { query, slots: query.parameters };
    compiled.set(adapter, fresh);
    return fresh;
  }

  return {
    async run(db, values) {
      const { query, slots } = compile(db);
      const { rows } = await db.executeQuery<R>({ ...query, parameters: bind(slots, values) } as never);
      return rows;
    },
    read(database, values) {
      const { query, slots } = compile(database.db);
      return database.read<R>(query.sql, bind(slots, values));
    },
    readFirst(database, values) {
      const { query, slots } = compile(database.db);
      return database.readFirst<R>(query.sql, bind(slots, values));
    },
    write(database, values) {
      const { query, slots } = compile(database.db);
      return database.write<R>(query.sql, bind(slots, values));
    },
  };
}

function bind(slots: readonly unknown[], values: object): unknown[] {
  const bound: unknown[] = [];
  for (const slot of slots) {
    bound.push(slot instanceof Placeholder ? (values as Record<string, unknown>)[slot.name] : slot);
  }
  return bound;
}
