import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createConnection } from 'mysql2/promise';
import pg from 'pg';
import { createTestDatabase } from '../harness/engines.ts';
import { type MariadbServer, startMariadb } from './mariadb-server.ts';

export type OldEngine = 'sqlite' | 'postgres' | 'mariadb';
export type Fixture = 'passport10' | 'passport13';

export const fixture = (name: string): string => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));

/** A separate database of a Passport service. */
export interface OldDatabase {
  readonly url: string;
  /** The writes of the old service during the import. */
  run(sql: string): Promise<void>;
}

/** Creates old databases from a fixture for the current suite, and removes them after it. */
export function oldDatabases(engine: OldEngine): (fixture?: Fixture) => Promise<OldDatabase> {
  const closers: (() => Promise<void>)[] = [];
  let server: MariadbServer | undefined;
  before(async () => {
    if (engine === 'mariadb') server = await startMariadb();
  });
  after(async () => {
    for (const close of closers.reverse()) await close();
    await server?.remove();
  });
  return async (name = 'passport10') => {
    const made = await makers[engine](name, server?.url ?? '');
    closers.push(made.remove);
    return made;
  };
}

type Made = OldDatabase & { remove(): Promise<void> };

const makers: Readonly<Record<OldEngine, (name: Fixture, server: string) => Promise<Made>>> = {
  async sqlite(name) {
    const dir = mkdtempSync(join(tmpdir(), 'gatehouse-old-'));
    const path = join(dir, 'old.sqlite');
    copyFileSync(fixture(`${name}.sqlite`), path);
    return {
      url: `sqlite:${path}`,
      async run(sql) {
        const db = new DatabaseSync(path);
        db.exec(sql);
        db.close();
      },
      remove: async () => rmSync(dir, { recursive: true, force: true }),
    };
  },
  async postgres(name) {
    const { url, remove } = await createTestDatabase('postgres');
    const run = async (sql: string, values: unknown[] = []) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query(sql, values).finally(() => client.end());
    };
    for (const { statement, values } of statementsOf(name, 'postgres')) await run(statement, values);
    return { url, run, remove };
  },
  async mariadb(name, server) {
    const database = `old_${randomBytes(6).toString('hex')}`;
    const connection = await createConnection({ uri: server, multipleStatements: true });
    await connection.query(`create database ${database}; use ${database}`);
    if (name === 'passport10') await connection.query(readFileSync(fixture('passport10-mariadb.sql'), 'utf8'));
    else for (const { statement, values } of statementsOf(name, 'mariadb')) await connection.query(statement, values);
    return {
      url: `${server}/${database}`,
      run: async (sql) => void (await connection.query(sql)),
      async remove() {
        await connection.query(`drop database ${database}`);
        await connection.end();
      },
    };
  },
};

const types: Readonly<Record<'postgres' | 'mariadb', (type: string) => string>> = {
  postgres: (type) =>
    /tinyint/.test(type)
      ? 'boolean'
      : /int/.test(type)
        ? 'bigint'
        : /datetime/.test(type)
          ? 'timestamp(0)'
          : 'varchar(2000)',
  mariadb: (type) =>
    /tinyint/.test(type)
      ? 'tinyint(1)'
      : /int/.test(type)
        ? 'bigint'
        : /datetime/.test(type)
          ? 'datetime'
          : /text/.test(type)
            ? 'text'
            : 'varchar(255)',
};

/** The same tables and rows for another engine, with the types that Laravel uses there. */
function* statementsOf(
  name: Fixture,
  engine: 'postgres' | 'mariadb',
): Generator<{ statement: string; values: unknown[] }> {
  const db = new DatabaseSync(fixture(`${name}.sqlite`), { readOnly: true });
  const quote = (word: string) => (engine === 'postgres' ? `"${word}"` : `\`${word}\``);
  const tables = db.prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'").all();
  for (const { name: table } of tables as { name: string }[]) {
    const columns = db.prepare(`pragma table_info("${table}")`).all() as { name: string; type: string; pk: number }[];
    const list = columns.map((column) => `${quote(column.name)} ${types[engine](column.type.toLowerCase())}`);
    const key = columns.filter(({ pk }) => pk > 0).map((column) => quote(column.name));
    const primary = key.length === 0 ? '' : `, primary key (${key.join(', ')})`;
    yield { statement: `create table ${quote(table)} (${list.join(', ')}${primary})`, values: [] };
    for (const row of db.prepare(`select * from "${table}"`).all() as Record<string, unknown>[]) {
      const values = columns.map(({ name: column, type }) =>
        engine === 'postgres' && /tinyint/.test(type) && row[column] !== null ? row[column] === 1 : row[column],
      );
      const slots = values.map((_, i) => (engine === 'postgres' ? `$${i + 1}` : '?')).join(', ');
      yield { statement: `insert into ${quote(table)} values (${slots})`, values };
    }
  }
  db.close();
}
