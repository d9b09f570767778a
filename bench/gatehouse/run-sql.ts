import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { idOf } from './seed.ts';

/** Runs SQL of the benchmark directly on the database, to create millions of rows. */
export async function runSql(databaseUrl: string, statements: readonly string[]): Promise<void> {
  if (databaseUrl.startsWith('sqlite:')) {
    const file = new DatabaseSync(databaseUrl.slice('sqlite:'.length), { timeout: 30_000 });
    file.exec(['begin immediate', ...statements, 'commit'].join(';\n'));
    file.close();
    return;
  }
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

/** Creates a separate database on the server in the URL. It disappears with that server at the end of the benchmark. */
export async function createDatabase(serverUrl: string): Promise<string> {
  const name = `bench_${randomBytes(6).toString('hex')}`;
  await runSql(serverUrl, [`create database ${name}`]);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

const writers = 4;
const insertCar = `insert into cars (id, plate, plate_folded, color, color_folded, seats, owner_id, created_at, updated_at, version)
  values (gen_random_uuid(), 'SQL', 'sql', 'Green', 'green', 4, '${idOf(0)}', 0, 0, 1)`;

/**
 * Inserts cars over several connections to PostgreSQL, each row in a separate transaction. Returns the number of
 * rows.
 */
export async function writeCarsUntil(databaseUrl: string, until: number): Promise<number> {
  let rows = 0;
  const write = async () => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    for (; performance.now() < until; rows++) await client.query({ name: 'insert', text: insertCar });
    await client.end();
  };
  await Promise.all(Array.from({ length: writers }, write));
  return rows;
}
