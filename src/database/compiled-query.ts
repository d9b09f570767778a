import type { Compilable } from 'kysely';
import type { Database, Db, Tx, WriteResult } from './database.ts';

class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

type Compiled = ReturnType<Compilable['compile']>;

/**
 * `compiledQuery((db, { id }: { id: string }) => db.selectFrom('sessions').selectAll().where('id', '=', id))`
 *
 * The text of the query never changes, so it is built and compiled once. For the few queries that run at every request: Kysely takes longer to build a query than SQLite takes to run it.
 */
export function compiledQuery<V extends object, R>(build: (db: Db, values: V) => Compilable<R>) {
  // One compiled query per engine. The key is the adapter, because a transaction has the adapter of its database.
  const compiled = new WeakMap<object, Compiled>();

  function compile(db: Db | Tx): Compiled {
    const { adapter } = db.getExecutor();
    const cached = compiled.get(adapter);
    if (cached) return cached;
    const placeholders = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) }) as V;
    const query = build(db, placeholders).compile();
    compiled.set(adapter, query);
    return query;
  }

  return {
    /** Runs in a transaction, or with a query builder. */
    async run(db: Db | Tx, values: V): Promise<R[]> {
      const query = compile(db);
      const { rows } = await db.executeQuery<R>({ ...query, parameters: bind(query.parameters, values) });
      return rows;
    },
    /** Runs a SELECT outside of transactions. On SQLite it returns the rows without a promise. */
    read(database: Database, values: V): R[] | Promise<R[]> {
      const { sql, parameters } = compile(database.db);
      return database.read<R>(sql, bind(parameters, values));
    },
    readFirst(database: Database, values: V): R | undefined | Promise<R | undefined> {
      const { sql, parameters } = compile(database.db);
      return database.readFirst<R>(sql, bind(parameters, values));
    },
    write(database: Database, values: V): Promise<WriteResult<R>> {
      const { sql, parameters } = compile(database.db);
      return database.write<R>(sql, bind(parameters, values));
    },
  };
}

function bind(parameters: readonly unknown[], values: object): unknown[] {
  const bound: unknown[] = [];
  for (const parameter of parameters) {
    bound.push(parameter instanceof Placeholder ? (values as Record<string, unknown>)[parameter.name] : parameter);
  }
  return bound;
}
