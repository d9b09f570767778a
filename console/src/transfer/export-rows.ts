import { eachRow } from '../bulk/each-row.ts';
import { searchFor } from '../data/list-filter.ts';
import { csvLine } from './csv.ts';

export type Format = 'csv' | 'json';

interface Export {
  resource: string;
  /** The columns, in their order. */
  fields: readonly string[];
  filter: Record<string, unknown>;
  sort: { field: string; order: string };
  format: Format;
  onProgress: (rows: number) => void;
  signal: AbortSignal;
}

/** Reads every row that the list finds, page by page by cursor, into a file that grows outside of this page's memory. */
export async function exportRows({
  resource,
  fields,
  filter,
  sort,
  format,
  onProgress,
  signal,
}: Export): Promise<Blob> {
  const parts: Blob[] = [];
  let text = format === 'csv' ? csvLine(fields) : '[';
  let rows = 0;
  const query = {
    search: searchFor(filter),
    orderBy: sort.field,
    sortedBy: sort.order === 'DESC' ? 'desc' : 'asc',
  } as const;
  for await (const row of eachRow<Record<string, unknown>>(resource, query, signal)) {
    text +=
      format === 'csv' ? csvLine(fields.map((name) => row[name])) : `${rows === 0 ? '\n' : ',\n'}${json(row, fields)}`;
    if (++rows % 100 !== 0) continue;
    parts.push(new Blob([text]));
    text = '';
    onProgress(rows);
  }
  signal.throwIfAborted();
  onProgress(rows);
  return new Blob([...parts, text, format === 'csv' ? '' : '\n]\n'], {
    type: format === 'csv' ? 'text/csv;charset=utf-8' : 'application/json',
  });
}

const json = (row: Record<string, unknown>, fields: readonly string[]): string =>
  JSON.stringify(Object.fromEntries(fields.map((name) => [name, row[name] ?? null])));

/** Lets the browser save a file. */
export function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
