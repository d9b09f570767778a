import { unfinishedMoveMarker } from '../../../src/database/migrate.ts';
import { type JsonText, parseJson } from '../../../src/platform/json-text.ts';
import { type Position, progressTable } from './tables.ts';

export const createProgressSql: readonly string[] = [
  `create table ${progressTable} (name text primary key, position text not null)`,
  `insert into migrations (name, applied_at) values ('${unfinishedMoveMarker}', 0)`,
];

export const dropProgressSql: readonly string[] = [
  `drop table ${progressTable}`,
  `delete from migrations where name = '${unfinishedMoveMarker}'`,
];

/** Stored under the empty name: the source of the copy, and the statements that run after the rows are copied. */
export interface MoveState {
  readonly source: string;
  readonly later: readonly string[];
}

export const parseMoveState = (stored: JsonText<MoveState> = ''): MoveState => parseJson(stored);

const initialPosition: Position = { after: undefined, rows: 0, finished: false };

export const parsePosition = (stored: JsonText<Position> | undefined): Position =>
  stored === undefined ? initialPosition : parseJson(stored);
