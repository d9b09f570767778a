import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';

/** 40 bits, written in hexadecimal. */
export const newHistoryId = (): string => randomBytes(5).toString('hex');

/** Call it for a restored SQLite file. Positions that were issued after the backup do not exist in the restored file. */
export function beginNewHistory(path: string): void {
  const file = new DatabaseSync(path);
  try {
    const table = file.prepare("select 1 from sqlite_master where name = 'change_history'").get();
    if (table) file.prepare('update change_history set id = ?').run(newHistoryId());
  } finally {
    file.close();
  }
}
