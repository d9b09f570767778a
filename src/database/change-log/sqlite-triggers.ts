import { sql } from 'kysely';
import type { Tx } from '../db.ts';
import type { RecordedTable } from './recorded-table.ts';

/** Names of triggers on SQLite are those of the whole file. */
const nameOf = (table: string, event: string): string => `gatehouse_changes_${table}_${event}`;

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/** A function takes at most 127 arguments. */
const columnsInOne = 60;

function jsonOf(row: 'old' | 'new', columns: readonly string[]): string {
  const objects: string[] = [];
  for (let from = 0; from < columns.length; from += columnsInOne) {
    const part = columns.slice(from, from + columnsInOne).map((column) => `${text(column)}, ${row}."${column}"`);
    objects.push(`json_object(${part.join(', ')})`);
  }
  return objects.reduce((all, next) => `rtrim(${all}, '}') || ',' || substr(${next}, 2)`);
}

const events = { insert: 'created', update: 'updated', delete: 'deleted' } as const;
type Event = keyof typeof events;

function triggerOf(event: Event, { resource, table, columns, versioned, needs }: RecordedTable): string {
  const last = event === 'delete' ? 'old' : 'new';
  const before = event === 'insert' ? 'null' : jsonOf('old', columns);
  const after = event === 'delete' ? 'null' : jsonOf('new', columns);
  const differs = columns.map((column) => `old."${column}" is not new."${column}"`).join(' or ');
  const written = event === 'update' ? `update of ${columns.map((column) => `"${column}"`).join(', ')}` : event;
  const conditions = [
    ...(needs ? [`${last}."${needs}" is not null`] : []),
    ...(event === 'update' ? [`(${differs})`] : []),
  ];
  const when = conditions.length > 0 ? ` when ${conditions.join(' and ')}` : '';
  return `create trigger ${nameOf(table, event)} after ${written} on "${table}"${when} begin insert into change_log (resource, row_id, operation, version, before, after, actor, at) values (${text(resource)}, ${last}."id", '${events[event]}', ${versioned ? `${last}."version"` : 'null'}, ${before}, ${after}, (select actor from change_actor), cast(unixepoch('subsec') * 1000 as integer)); end`;
}

/** The triggers that are there, by name. */
async function existing(tx: Tx): Promise<Map<string, string>> {
  const { rows } = await sql<{
    name: string;
    text: string;
  }>`select name, sql as text from sqlite_master where type = 'trigger' and name like 'gatehouse\\_changes\\_%' escape '\\'`.execute(
    tx,
  );
  return new Map(rows.map(({ name, text: found }) => [name, found]));
}

/** Removes the triggers of tables that are about to change. */
export async function dropTriggers(tx: Tx, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    for (const event of Object.keys(events)) {
      await sql.raw(`drop trigger if exists ${nameOf(table, event)}`).execute(tx);
    }
  }
}

/** Makes the triggers of recorded tables what they are to be; tables in `unrecorded` lose theirs. */
export async function updateTriggers(
  tx: Tx,
  recorded: readonly RecordedTable[],
  unrecorded: readonly string[],
): Promise<void> {
  const there = await existing(tx);
  await dropTriggers(
    tx,
    unrecorded.filter((table) => there.has(nameOf(table, 'insert'))),
  );
  for (const table of recorded) {
    for (const event of Object.keys(events) as Event[]) {
      const name = nameOf(table.table, event);
      const wanted = triggerOf(event, table);
      if (there.get(name)?.toLowerCase() === wanted.toLowerCase()) continue;
      await sql.raw(`drop trigger if exists ${name}`).execute(tx);
      await sql.raw(wanted).execute(tx);
    }
  }
}
