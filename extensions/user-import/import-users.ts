import { statSync } from 'node:fs';
import type { Context } from '../../src/database/context.ts';
import { systemSource } from '../../src/http/request-source.ts';
import { findByAnyIdentifier, insertNewUsers, type UserRow } from '../../src/identity/accounts/user-store.ts';
import { OperatorError, reasonOf } from '../../src/platform/errors.ts';
import { recordEvent } from '../../src/resources/audit/record-event.ts';
import { readImportRecord } from './import-record.ts';
import { formatOf, readRecords } from './read-import.ts';

export interface ImportProgress extends Awaited<ReturnType<typeof importUsers>> {
  readonly bytes: number;
  readonly totalBytes: number;
}

export interface ImportListeners {
  progress?(progress: ImportProgress): void;
  /** Called for each rejected record, with the reasons. */
  refused?(line: number, reasons: readonly string[]): void;
}

const batchSize = 500;

/**
 * Imports users with their hashes, in atomic batches. Reports bad records and continues. If the file becomes unreadable, the records before
 * that point are imported.
 */
export async function importUsers(context: Context, file: string, listeners: ImportListeners = {}) {
  const format = formatOf(file);
  const totalBytes = sizeOf(file);
  // `present`: already in the database. So an interrupted run can be started again.
  const counts = { read: 0, imported: 0, present: 0, refused: 0 };
  let bytes = 0;
  let batch: { line: number; row: UserRow }[] = [];

  const refuse = (line: number, reasons: readonly string[]) => {
    counts.refused++;
    listeners.refused?.(line, reasons);
  };
  const flush = async () => {
    const rows = batch;
    batch = [];
    await writeBatch(context, rows, counts, refuse);
    listeners.progress?.({ ...counts, bytes, totalBytes });
  };

  let interrupted = true;
  try {
    try {
      for await (const record of readRecords(file, format, (more) => {
        bytes += more;
      })) {
        counts.read++;
        const { row, reasons } = { row: undefined, ...readImportRecord(context.config, record, context.now()) };
        if (row) batch.push({ line: record.line, row });
        else refuse(record.line, reasons ?? []);
        if (batch.length >= batchSize) await flush();
      }
    } finally {
      await flush();
    }
    interrupted = false;
  } finally {
    const data = { ...counts, ...(interrupted && { interrupted }) };
    if (!interrupted || counts.imported > 0)
      await recordEvent(context, context.database.db, { type: 'users.imported', source: systemSource, data });
  }
  return counts;
}

function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch (error) {
    throw new OperatorError(`${file} could not be read: ${reasonOf(error)}`);
  }
}

async function writeBatch(
  { database }: Context,
  batch: readonly { line: number; row: UserRow }[],
  counts: { imported: number; present: number },
  refuse: (line: number, reasons: readonly string[]) => void,
): Promise<void> {
  if (batch.length === 0) return;
  const inserted = await insertNewUsers(
    database.db,
    batch.map(({ row }) => row),
  );
  counts.imported += inserted.size;
  for (const { line, row } of batch) {
    if (inserted.has(row.id)) continue;
    const owners = await findByAnyIdentifier(database.db, row);
    const [owner] = owners;
    if (owner && owners.length === 1 && isSamePerson(owner, row)) counts.present++;
    else refuse(line, takenBy(owners, row));
  }
}

const identifiers = ['email', 'username', 'phone'] as const;

/** Addresses are compared without case. */
const same = (a: string | null, b: string | null): boolean => a?.toLowerCase() === b?.toLowerCase();

const isSamePerson = (existing: UserRow, row: UserRow): boolean =>
  identifiers.every((field) => same(existing[field], row[field]));

const takenBy = (owners: readonly UserRow[], row: UserRow): string[] =>
  identifiers
    .filter((field) => row[field] !== null && owners.some((owner) => same(owner[field], row[field])))
    .map((field) => `another user has the ${field} ${row[field]}`);
