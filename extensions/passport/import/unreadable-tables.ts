import type { Db } from '../../../src/database/database.ts';
import type { Report } from '../report/report.ts';
import type { Layout } from '../source/layout.ts';
import { listReports } from './pass-store.ts';

/** Tables that an earlier pass read, and that are not there or may not be read now. */
export async function findUnreadableTables(db: Db, layout: Layout): Promise<string[]> {
  const known = new Set<string>();
  for (const text of await listReports(db)) {
    for (const { table, read } of (JSON.parse(text) as Report).tables) if (read > 0) known.add(table);
  }
  return [...known].filter((table) => !layout.has(table));
}
