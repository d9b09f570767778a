import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { Tx } from '../db.ts';
import { currentTimeSql } from '../migration.ts';
import { jsonOfRow, literal, type RecordedTable } from './recorded-table.ts';

/** Every table uses the same name, because PostgreSQL scopes trigger names to a table. */
const triggerName = 'gatehouse_changes';
/** The comment of a function is a hash of its body, to detect changes. */
const hashOfBody = (body: string): string => hash('sha1', body, 'hex');

/** The table name is hashed, because PostgreSQL limits a name to 63 characters. */
const functionName = (table: string): string => `gatehouse_changes_${hash('sha1', table, 'hex').slice(0, 16)}`;

/** PostgreSQL functions take at most 100 arguments. */
const jsonOf = (row: 'old' | 'new', columns: readonly string[]): string =>
  jsonOfRow((members) => `json_build_object(${members})::text`, row, columns, 40);

/**
 * A transaction on behalf of a caller sets `gatehouse.actor`. The position is assigned while the row is locked, so that the positions of
 * one row follow the order of its writes.
 */
function functionBody({ resource, columns, versioned, requiredColumn }: RecordedTable): string {
  const version = (row: string) => (versioned ? `${row}."version"` : 'null');
  const list = (row: string) => columns.map((column) => `${row}."${column}"`).join(', ');
  const insert = (operation: string, row: 'old' | 'new', before: string, after: string) =>
    `insert into change_log (resource, row_id, operation, version, before, after, actor, transaction_id, at) values (${literal(resource)}, ${row}."id", '${operation}', ${version(row)}, ${before}, ${after}, nullif(current_setting('gatehouse.actor', true), ''), pg_current_xact_id()::text::bigint, ${currentTimeSql('postgres')});`;
  const skipUnrecorded = requiredColumn
    ? `if coalesce(new."${requiredColumn}", old."${requiredColumn}") is null then return null; end if;`
    : '';
  return `
begin
  ${skipUnrecorded}
  if tg_op = 'INSERT' then
    ${insert('created', 'new', 'null', jsonOf('new', columns))}
  elsif tg_op = 'DELETE' then
    ${insert('deleted', 'old', jsonOf('old', columns), 'null')}
  elsif row(${list('old')}) is distinct from row(${list('new')}) then
    ${insert('updated', 'new', jsonOf('old', columns), jsonOf('new', columns))}
  end if;
  return null;
end`;
}

async function readExistingTriggers(tx: Tx): Promise<Map<string, string | null>> {
  const { rows } = await sql<{ name: string; body_hash: string | null }>`
    select c.relname as name, obj_description(t.tgfoid, 'pg_proc') as body_hash from pg_trigger as t
    join pg_class as c on c.oid = t.tgrelid
    where c.relnamespace = current_schema()::regnamespace and t.tgname = ${triggerName}`.execute(tx);
  return new Map(rows.map(({ name, body_hash }) => [name, body_hash]));
}

export async function dropTriggers(tx: Tx, tables: readonly string[]): Promise<void> {
  const existingTriggers = await readExistingTriggers(tx);
  for (const table of tables.filter((name) => existingTriggers.has(name))) {
    await sql.raw(`drop trigger ${triggerName} on "${table}"`).execute(tx);
    await sql.raw(`drop function if exists ${functionName(table)}()`).execute(tx);
  }
}

/** After `gatehouse move`, the log contains positions that this sequence has not issued. */
async function advancePositions(tx: Tx): Promise<void> {
  await sql`select setval('change_log_position', newest) from (select max(position) as newest from change_log) as log
    where newest > (select last_value from change_log_position)`.execute(tx);
}

/** Creates or replaces the triggers of recorded tables, and drops those of the tables in `unrecorded`. */
export async function updateTriggers(tx: Tx, recorded: readonly RecordedTable[], unrecorded: readonly string[]) {
  const existingTriggers = await readExistingTriggers(tx);
  const obsolete = unrecorded.filter((table) => existingTriggers.has(table));
  if (obsolete.length > 0) await dropTriggers(tx, obsolete);
  await advancePositions(tx);
  const run = (text: string) => sql.raw(text).execute(tx);
  const schema = (await sql<{ name: string }>`select quote_ident(current_schema()) as name`.execute(tx)).rows[0]?.name;
  for (const table of recorded) {
    const body = functionBody(table);
    if (existingTriggers.get(table.table) === hashOfBody(body)) continue;
    const name = `${functionName(table.table)}()`;
    await run(
      `create or replace function ${name} returns trigger language plpgsql security definer set search_path = ${schema}, pg_temp as $$${body}$$`,
    );
    await run(`comment on function ${name} is '${hashOfBody(body)}'`);
    if (existingTriggers.has(table.table)) await run(`drop trigger ${triggerName} on "${table.table}"`);
    const columns = table.columns.map((column) => `"${column}"`).join(', ');
    const events = `insert or update of ${columns} or delete`;
    await run(
      `create trigger ${triggerName} after ${events} on "${table.table}" for each row execute function ${name}`,
    );
  }
}
