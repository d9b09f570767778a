import { eachRow } from '../bulk/selected-rows.ts';
import { toListQuery } from '../data/to-list-query.ts';
import { csvLine } from './csv.ts';

export type Format = 'csv' | 'json';

interface Export {
  resource: string;
  /** The columns in order. */
  fields: readonly string[];
  filter: Record<string, unknown>;
  sort: { field: string; order: 'ASC' | 'DESC' };
  format: Format;
  onProgress: (rows: number) => void;
  signal: AbortSignal;
}

/** Reads every row that matches the list's filter into a file. The browser keeps the parts of the file outside of this page's memory. */
export async function exportRows({
  resource,
  fields,
  filter,
  sort,
  format,
  onProgress,
  signal,
}: Export): Promise<Blob> {
  const isCsv = format === 'csv';
  const parts: Blob[] = [];
  let text = isCsv ? csvLine(fields) : '[';
  let rows = 0;
  for await (const row of eachRow<Record<string, unknown>>(resource, toListQuery({ filter, sort }), signal)) {
    const values = fields.map((name) => [name, row[name] ?? null]);
    const json = JSON.stringify(Object.fromEntries(values));
    text += isCsv ? csvLine(values.map(([, value]) => value)) : `${rows === 0 ? '\n' : ',\n'}${json}`;
    if (++rows % 100 !== 0) continue;
    parts.push(new Blob([text]));
    text = '';
    onProgress(rows);
  }
  signal.throwIfAborted();
  onProgress(rows);
  const type = isCsv ? 'text/csv;charset=utf-8' : 'application/json';
  return new Blob([...parts, text, isCsv ? '' : '\n]\n'], { type });
}

/** Starts the download of a file. */
export function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
