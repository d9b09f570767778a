import { parse } from 'csv-parse/browser/esm/sync';
import { plainCell } from './csv.ts';

export interface FileRow {
  /** The position in the file, from 1. The header row of a CSV file is row 1. */
  number: number;
  values: Record<string, unknown>;
}

/** Parses the rows of a CSV file with a header row, of a JSON list (or `{"data": […]}`), or of one JSON object per line. */
export function readRows(name: string, text: string): FileRow[] {
  if (!/\.(csv|tsv|txt)$/i.test(name)) return jsonRows(text).map((values, index) => ({ number: index + 1, values }));
  const [heading = ''] = text.split('\n', 1);
  const count = (delimiter: string) => heading.split(delimiter).length;
  const delimiter = [',', ';', '\t'].reduce((best, each) => (count(each) > count(best) ? each : best));
  const options = { bom: true, skip_empty_lines: true, relax_column_count: true, delimiter };
  const records = parse<Record<string, unknown>>(text, { ...options, columns: true, cast: plainCell });
  return records.map((values, index) => ({ number: index + 2, values }));
}

function jsonRows(text: string): Record<string, unknown>[] {
  let whole: unknown;
  try {
    whole = JSON.parse(text);
  } catch {
    whole = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [JSON.parse(line)]));
  }
  if (Array.isArray(whole)) return whole;
  const { data } = whole as { data?: unknown };
  return Array.isArray(data) ? data : [whole as Record<string, unknown>];
}
