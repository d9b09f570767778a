import { sql } from 'kysely';
import type { Tx } from '../db.ts';
import { currentTimeSql } from '../migration.ts';
import { jsonOfRow, literal, type RecordedTable } from './recorded-table.ts';

/** SQLite scopes trigger names to a file. */
const triggerName = (table: string, event: string): string => `gatehouse_changes_${table}_${event}`;

/** SQLite functions take at most 127 arguments. */
const jsonOf = (row: 'old' | 'new', columns: readonly string[]): string =>
  jsonOfRow((members) => `json_object(${members})`, row, columns, 60);

const operations = { insert: 'created', update: 'updated', delete: 'deleted' } as const;
type Event = keyof typeof operations;

function createTriggerSql(event: Event, { resource, table, columns, versioned, requiredColumn }: RecordedTable) {
  const rowName = event === 'delete' ? 'old' : 'new';
  const before = event === 'insert' ? 'null' : jsonOf('old', columns);
  const after = event === 'delete' ? 'null' : jsonOf('new', columns);
  const hasChanged = columns.map((column) => `old."${column}" is not new."${column}"`).join(' or ');
  const eventSql = event === 'update' ? `update of ${columns.map((column) => `"${column}"`).join(', ')}` : event;
  const conditions = [
    ...(requiredColumn ? [`${rowName}."${requiredColumn}" is not null`] : []),
    ...(event === 'update' ? [`(${hasChanged})`] : []),
  ];
  const when = conditions.length > 0 ? ` when ${conditions.join(' and ')}` : '';
  return `create trigger ${triggerName(table, event)} after ${eventSql} on "${table}"${when} begin insert into change_log (resource, row_id, operation, version, before, after, actor, at) values (${literal(resource)}, ${rowName}."id", '${operations[event]}', ${versioned ? `${rowName}."version"` : 'null'}, ${before}, ${after}, (select actor from change_actor), ${currentTimeSql('sqlite')}); end`;
}

async function readExistingTriggers(tx: Tx): Promise<Map<string, string>> {
  const { rows } = await sql<{ name: string; text: string }>`select name, sql as text from sqlite_master
    where type = 'trigger' and name like 'gatehouse\\_changes\\_%' escape '\\'`.execute(tx);
  return new Map(rows.map(({ name, text }) => [name, text]));
}

export async function dropTriggers(tx: Tx, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    for (const event of Object.keys(operations)) {
      await sql.raw(`drop trigger if exists ${triggerName(table, event)}`).execute(tx);
    }
  }
}

/** Creates or replaces the triggers of recorded tables, and drops those of the tables in `unrecorded`. */
export async function updateTriggers(tx: Tx, recorded: readonly RecordedTable[], unrecorded: readonly string[]) {
  const existingTriggers = await readExistingTriggers(tx);
  await dropTriggers(
    tx,
    unrecorded.filter((table) => existingTriggers.has(triggerName(table, 'insert'))),
  );
  for (const table of recorded) {
    for (const event of Object.keys(operations) as Event[]) {
      const name = triggerName(table.table, event);
      const definition = createTriggerSql(event, table);
      if (existingTriggers.get(name)?.toLowerCase() === definition.toLowerCase()) continue;
      await sql.raw(`drop trigger if exists ${name}`).execute(tx);
      await sql.raw(definition).execute(tx);
    }
  }
}
