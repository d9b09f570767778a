import { keepRoom } from '../bulk/each-row.ts';
import type { Operation } from '../bulk/packed.ts';
import { gatehouse } from '../data/api.ts';
import type { ResourceDescription } from '../data/descriptions.ts';
import { fieldLabel } from '../text/presentation.ts';
import { say } from '../text/say.ts';
import { type CheckedRow, checkRow, leftOut } from './check-row.ts';
import { rowsOfFile } from './read-file.ts';

export interface DryRun {
  created: number;
  changed: number;
  /** Numbers of the rows with which something is wrong. */
  wrong: ReadonlySet<number>;
  problems: { number: number; message: string }[];
  leftOut: string[];
}

const mostProblems = 1000;

/** Looks through a file: what each row would do, and what is wrong with it. Asks the service, and changes nothing. */
export async function checkFile(description: ResourceDescription, file: File): Promise<DryRun> {
  const wrong = new Set<number>();
  const found: DryRun = { created: 0, changed: 0, wrong, problems: [], leftOut: [] };
  const columns = new Set<string>();
  let batch: CheckedRow[] = [];
  const judge = async () => {
    await lookUp(description, batch);
    for (const { number, id, problems } of batch) {
      if (problems.length > 0) {
        wrong.add(number);
        if (found.problems.length < mostProblems) found.problems.push({ number, message: problems.join(' ') });
      } else if (id === undefined) found.created++;
      else found.changed++;
    }
    batch = [];
  };
  for await (const row of rowsOfFile(file)) {
    for (const column of Object.keys(row.values)) columns.add(column);
    batch.push(checkRow(description, row));
    if (batch.length === 100) await judge();
  }
  await judge();
  found.leftOut = leftOut(description, [...columns]);
  return found;
}

/** What only the service knows: whether ids are there, rows that are referred to exist, and unique values are free. */
async function lookUp({ name, fields }: ResourceDescription, batch: readonly CheckedRow[]): Promise<void> {
  const there = await existing(
    name,
    'id',
    batch.map(({ id }) => id),
  );
  for (const row of batch) {
    if (row.id !== undefined && !there.has(row.id)) row.problems.push(say('There is no row with this id.'));
  }
  for (const field of fields) {
    const fieldValue = ({ values }: CheckedRow) => values[field.name];
    if (field.references !== undefined) {
      const known = await existing(field.references, 'id', batch.map(fieldValue));
      for (const row of batch) {
        const value = fieldValue(row);
        if (typeof value === 'string' && !known.has(value))
          row.problems.push(say('{field} is not there.', { field: fieldLabel(field) }));
      }
    } else if (field.unique && field.searchable) {
      const taken = await existing(name, field.name, batch.map(fieldValue));
      for (const row of batch) {
        const owner = taken.get(String(fieldValue(row)));
        if (owner !== undefined && owner !== row.id)
          row.problems.push(say('{field} is taken.', { field: fieldLabel(field) }));
      }
    }
  }
}

/** Which of the values are there, and in which row. */
async function existing(resource: string, field: string, values: readonly unknown[]): Promise<Map<string, string>> {
  const wanted = [...new Set(values.filter((value) => typeof value === 'string' && value !== ''))] as string[];
  if (wanted.length === 0) return new Map();
  await keepRoom();
  const { data } = await gatehouse
    .resource<Record<string, unknown> & { id: string }>(resource)
    .list({ search: { [field]: wanted }, limit: 100, count: 'none' });
  return new Map(data.map((row) => [String(row[field]), row.id]));
}

/** Those with which nothing is wrong. */
export async function* goodRows(
  description: ResourceDescription,
  file: File,
  { wrong }: DryRun,
): AsyncGenerator<CheckedRow> {
  for await (const row of rowsOfFile(file)) if (!wrong.has(row.number)) yield checkRow(description, row);
}

/** A row with an id changes the row that has it. */
export const operationOf = ({ id, values: data }: CheckedRow): Operation =>
  id === undefined ? { operation: 'create', data } : { operation: 'update', id, data };
