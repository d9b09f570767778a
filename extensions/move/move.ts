import type { Config } from '../../src/config/config.ts';
import { createSealing, type Sealing } from '../../src/database/keys/sealing.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { OperatorError } from '../../src/platform/errors.ts';
import type { BeginProgress } from '../../src/platform/progress.ts';
import { readSchemas } from '../../src/resources/schemas/schema-store.ts';
import type { TableSchema } from '../../src/resources/schemas/storage-schema.ts';
import { type Checksum, checksum, copyTable } from './copy-table.ts';
import { chooseTables, expectedTables, makeResourceTables } from './expected-tables.ts';
import { createOpener, createResealer } from './resealed-rows.ts';
import { fileOf, openSource, openTarget } from './tables/open-tables.ts';
import { prepareTarget } from './tables/prepare-target.ts';
import { readSource } from './tables/read-source.ts';
import type { CopiedTable, TableReader, TableWriter } from './tables/tables.ts';
import { emptyTarget, readTargetState } from './tables/target-state.ts';

export interface MoveOptions {
  /** In the form of DATABASE_URL. */
  readonly to: string;
  /** Tables of the operator that are not copied. */
  readonly without: readonly string[];
  /** Discards the data of an interrupted move. */
  readonly startOver: boolean;
  /** Only checks, without changes. */
  readonly dryRun: boolean;
  /** Called for copied rows, and for rows compared in either database. */
  readonly progress: BeginProgress;
}

export interface MovedTable {
  readonly table: string;
  readonly rows: number;
  /** Undefined if nothing was copied. */
  readonly checksum?: string;
}

export interface Move {
  readonly tables: readonly MovedTable[];
  /** Whether the move continued an interrupted one. */
  readonly takenUp: boolean;
}

interface Pair {
  readonly from: CopiedTable;
  readonly to: CopiedTable;
  readonly rows: number;
}

/** Copies a whole service into an empty database and compares both. An interrupted copy is resumed. */
export async function move(config: Config, options: MoveOptions): Promise<Move> {
  const location = { databaseUrl: options.to, workingDir: config.workingDir };
  rejectSame(config, location);
  const { found: stored, id } = await readSource(config, readSchemas);
  const schemas = [...stored.values()];
  const state = await readTargetState(location);
  if (state && !options.startOver && state.source !== id) {
    throw new OperatorError(
      'The target contains part of another service. Name an empty database, or add --start-over.',
    );
  }
  const source = await openSource(config);
  try {
    const tables = chooseTables(await source.tables(), await expectedTables(schemas), options.without);
    const counted: MovedTable[] = [];
    for (const { name } of tables) counted.push({ table: name, rows: await source.count(name) });
    const takenUp = state !== undefined && !options.startOver;
    if (options.dryRun) return { tables: counted, takenUp };
    if (state && options.startOver) await emptyTarget(location);
    if (!takenUp) await prepare(location, id, schemas);
    const target = await openTarget(location);
    try {
      const created = await target.tables();
      const pairs = tables.map(
        (from, i): Pair => ({ from, to: inOrderOf(from, created), rows: counted[i]?.rows ?? 0 }),
      );
      const sealings = { from: createSealing(config), to: createSealing({ ...config, databaseUrl: options.to }) };
      return { tables: await copyAndCompare(source, target, pairs, sealings, options), takenUp };
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

function rejectSame(config: Config, target: Parameters<typeof fileOf>[0]): void {
  const [from, to] = [fileOf(config) ?? config.databaseUrl, fileOf(target) ?? target.databaseUrl];
  if (from === to) throw new OperatorError('The target is the current database of the service. Name another one.');
}

async function prepare(
  location: { databaseUrl: string; workingDir: string },
  id: string,
  schemas: readonly TableSchema[],
): Promise<void> {
  const database = await openDatabase({ ...location, databasePoolSize: 2 });
  try {
    await prepareTarget(database, id, (tx) => makeResourceTables(database.engine, tx, schemas));
  } finally {
    await database.close();
  }
}

/** The same table in the other database, with its columns in the same order. */
function inOrderOf({ name, columns }: CopiedTable, created: ReadonlyMap<string, CopiedTable>): CopiedTable {
  const table = created.get(name) as CopiedTable;
  const byName = new Map(table.columns.map((column) => [column.name, column]));
  return { ...table, columns: columns.map((column) => byName.get(column.name) as CopiedTable['columns'][number]) };
}

async function copyAndCompare(
  source: TableReader,
  target: TableWriter,
  pairs: readonly Pair[],
  sealings: { from: Sealing; to: Sealing },
  { progress }: MoveOptions,
): Promise<MovedTable[]> {
  const rows = pairs.reduce((sum, pair) => sum + pair.rows, 0);
  const bar = progress(3 * rows, 'copying');
  const advanceComparison = (name: string) => (amount: number) => bar.advance(amount, `comparing ${name}`);
  try {
    for (const { from, to } of pairs) {
      const change = createResealer(from, sealings.from, sealings.to);
      await copyTable(source, target, { from, to, change }, (amount) => bar.advance(amount, `copying ${from.name}`));
    }
    bar.advance(0, 'making indexes');
    await target.complete();
    const tables: MovedTable[] = [];
    for (const { from, to } of pairs) {
      const [sourceChecksum, targetChecksum] = await Promise.all([
        checksum(source, from, createOpener(from, sealings.from), advanceComparison(from.name)),
        checksum(target, to, createOpener(to, sealings.to), advanceComparison(to.name)),
      ]);
      rejectDifference(from.name, sourceChecksum, targetChecksum);
      tables.push({ table: from.name, rows: targetChecksum.rows, checksum: targetChecksum.sum });
    }
    await target.release();
    return tables;
  } finally {
    bar.end();
  }
}

function rejectDifference(table: string, sourceChecksum: Checksum, targetChecksum: Checksum): void {
  if (sourceChecksum.rows === targetChecksum.rows && sourceChecksum.sum === targetChecksum.sum) return;
  const difference =
    sourceChecksum.rows === targetChecksum.rows
      ? `${sourceChecksum.rows} rows, but not the same`
      : `${sourceChecksum.rows} rows, now ${targetChecksum.rows}`;
  throw new OperatorError(
    `${table} is not the same in both databases: ${difference}. If the service ran between two moves, begin again with --start-over.`,
  );
}
