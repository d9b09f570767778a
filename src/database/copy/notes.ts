import { notesTable, type Position } from './tables.ts';

/**
 * How far a copy is, in the database that it goes to. What stands among the migrations as long as it is not whole is known
 * to no version, so that no service starts on it.
 */
export const unfinishedMove = 'move-not-finished';

export const beginNotes: readonly string[] = [
  `create table ${notesTable} (name text primary key, position text not null)`,
  `insert into migrations (name, applied_at) values ('${unfinishedMove}', 0)`,
];

export const endNotes: readonly string[] = [
  `drop table ${notesTable}`,
  `delete from migrations where name = '${unfinishedMove}'`,
];

/** Under the empty name: of which source it is a copy, and what is made when the rows are there. */
export interface Setup {
  readonly source: string;
  readonly later: readonly string[];
}

export const readSetup = (note: string): Setup => JSON.parse(note) as Setup;

const notBegun: Position = { after: undefined, rows: 0, finished: false };

export const readNote = (note: string | undefined): Position =>
  note === undefined ? notBegun : (JSON.parse(note) as Position);
