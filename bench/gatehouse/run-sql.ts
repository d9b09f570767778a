import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';

/** Statements of the benchmark's own, past the service: rows by the million. */
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
