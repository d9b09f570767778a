import { isDeepStrictEqual } from 'node:util';
import type { Database, Db, Tx } from '../../src/database/database.ts';
import { withMigrationLock } from '../../src/database/locks/migration-lock.ts';
import { runPending } from '../../src/database/migrate.ts';
import { countRowChanges } from '../../src/database/postgres/batching/count-row-changes.ts';
import { withoutTableLocks } from '../../src/database/without-table-locks.ts';
import { OperatorError } from '../../src/platform/errors.ts';
import { type BeginProgress, noProgress, type StepProgress, stepProgress } from '../../src/platform/progress.ts';
import type { ResourceDefinition } from '../../src/resources/declaration/define-resource.ts';
import { readSchemas } from '../../src/resources/schemas/schema-store.ts';
import {
  declaredSchemas,
  storedSchemas,
  type TableSchema,
  type TableSchemas,
  withStoredNames,
} from '../../src/resources/schemas/storage-schema.ts';
import { dropTriggers, updateTriggers } from '../../src/resources/schemas/table-triggers.ts';
import { type Executor, writeUnprepared } from '../../src/resources/sql/executor.ts';
import type { OperatorMigrations } from './operator/load-operator-migrations.ts';
import { dropTables } from './plan/drop-tables.ts';
import { splitByTransaction, stepsBeforeTransaction, withoutDeferrableIndexes } from './plan/order-of-steps.ts';
import { planError } from './plan/plan-error.ts';
import { planAdditions, planMigrations } from './plan/plan-migrations.ts';
import { foldColumn } from './steps/compute-column.ts';
import { missingValues } from './steps/fill-defaults.ts';
import { finishMigrations } from './steps/finish-migrations.ts';
import type { Step } from './steps/migration-steps.ts';
import { isSlow, type RemainingStatements, runBeforeTransaction } from './steps/run-before-transaction.ts';
import { writeSchema } from './steps/schema-store.ts';

export interface MigrationOptions {
  /** The undeclared tables and columns to remove: all empty ones (true), or the named ones with their data. */
  readonly drop?: true | readonly string[];
  /** Run by `gatehouse migrate`, not by a start, so no other version runs at the same time. */
  readonly byCommand?: boolean;
  /** On PostgreSQL: leaves the work that needs no lock to `finishMigrations`. */
  readonly later?: boolean;
  readonly operatorMigrations?: OperatorMigrations | undefined;
  /** Also runs the pending migrations of the service, and undoes everything. */
  readonly dryRun?: boolean;
  readonly now?: () => number;
  /** Called for tables and columns that are no longer declared. */
  readonly report?: (line: string) => void;
  readonly progress?: BeginProgress | undefined;
}

function withNewNames(stored: TableSchemas, definitions: readonly ResourceDefinition[]): TableSchemas {
  const declared = new Set(definitions.map(({ name }) => name));
  const undeclared = [...stored].filter(([name]) => !declared.has(name));
  return new Map([...undeclared, ...storedSchemas(definitions, stored)]);
}

/** The tables with the columns that the plan does not change. Their indexes include those that are no longer declared. */
const unchangedColumns = (stored: TableSchemas, planned: TableSchemas): TableSchema[] =>
  [...planned].map(([name, schema]) => {
    const before = stored.get(name)?.columns ?? {};
    const columns = Object.entries(schema.columns).filter(([column, next]) => isDeepStrictEqual(before[column], next));
    return { ...schema, columns: Object.fromEntries(columns) };
  });

const tablesOf = (stored: TableSchemas): ReadonlySet<string> => new Set([...stored.values()].map(({ table }) => table));

const permissionsOf = ({ drop, byCommand = false }: MigrationOptions) => ({
  drop: { empty: drop === true, names: drop === true || !drop ? [] : drop },
  retype: byCommand,
});

/** The steps that a start or `gatehouse migrate` would run. Changes nothing. */
export async function planResourceMigrations(
  database: Database,
  definitions: readonly ResourceDefinition[],
  options: Pick<MigrationOptions, 'operatorMigrations'> = {},
) {
  return withMigrationLock(database, async (tx) => {
    const executor = { engine: database.engine, db: tx };
    return (await planAll(executor, await readSchemas(tx), definitions, options)).plan;
  });
}

const dryRunRollback = new Error('tried, and undone');

/** Migrates the tables to the declarations. Returns a text for each step. If rows violate a declaration, it throws and changes nothing. */
export async function applyResourceMigrations(
  database: Database,
  definitions: readonly ResourceDefinition[],
  options: MigrationOptions = {},
): Promise<string[]> {
  const stepsProgress = stepProgress(options.progress ?? noProgress);
  let descriptions: string[] = [];
  const changeTables = (earlierWork: EarlierWork, holdsLongWork: boolean) =>
    withMigrationLock(
      database,
      async (tx) => {
        // Before a real run, `migrate` has run the migrations of the service.
        let hasMore = options.dryRun ?? false;
        while (hasMore) ({ hasMore } = await runPending(database, tx, database.now));
        descriptions = await migrateInTransaction(database, tx, definitions, options, { earlierWork, stepsProgress });
        if (options.dryRun) throw dryRunRollback;
      },
      { holdsLongWork },
    );
  try {
    let planned = options.dryRun ? undefined : await planSlowWork(database, definitions, options);
    // Another instance may finish this work, then serve and keep the lock for its later work.
    const isNeeded = async () => {
      if (planned && !isDeepStrictEqual(await readSchemas(database.db), planned.stored))
        planned = await planSlowWork(database, definitions, options);
      return planned !== undefined;
    };
    const runPlanned = async (db: Db) => {
      const work = await planSlowWork(database, definitions, options, true);
      await changeTables(work ? await runSlowWork(database, db, work, options) : noEarlierWork, true);
    };
    if (!planned || !(await withoutTableLocks(database, runPlanned, isNeeded)))
      await changeTables(noEarlierWork, false);
    if (!options.later) await finishMigrations(database, [], options.report);
  } catch (error) {
    if (error !== dryRunRollback) throw error;
  } finally {
    stepsProgress.end();
  }
  return descriptions;
}

/**
 * The work that was done before the transaction: for each step, its remaining statements; and the finished steps that the next plan does
 * not show.
 */
interface EarlierWork {
  readonly remaining: RemainingStatements;
  readonly finished: readonly Step[];
}

const noEarlierWork: EarlierWork = { remaining: new Map(), finished: [] };

interface SlowWork {
  readonly steps: readonly Step[];
  readonly stored: TableSchemas;
}

/** Undefined without slow work, if the transaction would be rejected, or if operator migrations run in it. */
async function planSlowWork(
  database: Database,
  definitions: readonly ResourceDefinition[],
  options: MigrationOptions,
  holdsLongWork = false,
): Promise<SlowWork | undefined> {
  const { engine, db } = database;
  if (engine === 'sqlite' || (options.operatorMigrations && (await options.operatorMigrations.pending(db)).length > 0))
    return undefined;
  return withMigrationLock(
    database,
    async (tx) => {
      const stored = await readSchemas(tx);
      const { plan } = await planAll({ engine, db: tx }, stored, definitions, options);
      if (planError(plan, options.drop)) return undefined;
      const tables = tablesOf(stored);
      const steps = stepsBeforeTransaction(options.later ? withoutDeferrableIndexes(plan.steps, tables) : plan.steps);
      return isSlow(steps, tables) ? { steps, stored } : undefined;
    },
    { holdsLongWork },
  );
}

async function runSlowWork(
  database: Database,
  db: Db,
  { steps, stored }: SlowWork,
  { progress }: MigrationOptions,
): Promise<EarlierWork> {
  const remaining = await runBeforeTransaction(database, db, steps, tablesOf(stored), progress);
  return { remaining, finished: steps.filter(({ rowsOnly }) => rowsOnly) };
}

/** The number for the next file of the operator, with as many digits as the existing numbers. */
function freeMigrationNumber(names: readonly string[]): string {
  const numbers = ['000', ...names.flatMap((name) => /^\d+/.exec(name) ?? [])];
  const width = Math.max(...numbers.map(({ length }) => length));
  return String(Math.max(...numbers.map(Number)) + 1).padStart(width, '0');
}

/** Another version finds its table by the stored schema of the name. */
function reusedNames(definitions: readonly ResourceDefinition[], stored: TableSchemas): string[] {
  const schemas = storedSchemas(definitions, stored);
  return definitions.flatMap(({ name, managed }) => {
    const table = managed && !schemas.has(name) && stored.get(name)?.table;
    return table
      ? `${name}: at startup, other versions may use this name for the table "${table}". Run npx gatehouse-server migrate to create the new table.`
      : [];
  });
}

async function planAll(
  executor: Executor,
  stored: TableSchemas,
  definitions: readonly ResourceDefinition[],
  options: MigrationOptions,
  schemas?: TableSchemas,
) {
  const namedDefinitions = withStoredNames(definitions, stored);
  const declared = declaredSchemas(namedDefinitions);
  const permissions = permissionsOf(options);
  const currentSchemas = schemas ?? withNewNames(stored, namedDefinitions);
  const freeNumber = freeMigrationNumber(options.operatorMigrations?.names ?? []);
  const plan = await planMigrations(executor, currentSchemas, declared, { permissions, freeNumber });
  const dropped = await dropTables(executor, stored, plan.schemas, permissions.drop);
  // At startup on PostgreSQL, `finishMigrations` does this work.
  const readsRows = executor.engine === 'sqlite' || !options.later;
  const missing = readsRows ? await missingValues(executor, unchangedColumns(currentSchemas, plan.schemas)) : [];
  const steps = [...plan.steps, ...missing, ...dropped.steps];
  const blockers = [...plan.blockers, ...(options.byCommand ? [] : reusedNames(namedDefinitions, stored))];
  return { plan: { ...plan, steps, blockers }, abandoned: dropped.abandoned, inUse: [...tablesOf(declared)] };
}

async function migrateInTransaction(
  { engine, now: clock }: Database,
  tx: Tx,
  definitions: readonly ResourceDefinition[],
  options: MigrationOptions,
  { earlierWork, stepsProgress }: { readonly earlierWork: EarlierWork; readonly stepsProgress: StepProgress },
): Promise<string[]> {
  const { operatorMigrations, now = clock, report } = options;
  const executor: Executor = { engine, db: tx };
  const stored = await readSchemas(tx);
  const namedDefinitions = withStoredNames(definitions, stored);
  const descriptions = earlierWork.finished.map(({ description }) => description);
  const runSteps = async (steps: readonly Step[]) => {
    const pendingSteps = steps.filter(({ description }) => !earlierWork.remaining.has(description));
    for (const step of steps) {
      for (const statement of earlierWork.remaining.get(step.description) ?? [])
        await writeUnprepared(executor, statement);
      if (earlierWork.remaining.has(step.description)) continue;
      stepsProgress.next(step.description, pendingSteps.length);
      await performStep(executor, step, stepsProgress);
    }
    descriptions.push(...steps.map(({ description }) => description));
  };
  const pendingNames = operatorMigrations ? await operatorMigrations.pending(tx) : [];
  let schemasBefore: TableSchemas | undefined;
  if (operatorMigrations && pendingNames.length > 0) {
    const additions = planAdditions(engine, withNewNames(stored, namedDefinitions), declaredSchemas(namedDefinitions));
    await runSteps(additions.steps);
    await updateTriggers(engine, tx, namedDefinitions);
    const result = await operatorMigrations.run(tx, namedDefinitions, (name) =>
      stepsProgress.next(`run the migration ${name}`, pendingNames.length),
    );
    descriptions.push(...result.descriptions);
    await refoldTables(
      executor,
      [...declaredSchemas(namedDefinitions).values()].filter(({ table }) => result.names(table)),
    );
    schemasBefore = additions.schemas;
  }
  const { plan, abandoned, inUse } = await planAll(executor, stored, definitions, options, schemasBefore);
  const error = planError(plan, options.drop);
  if (error) throw new OperatorError(error);
  const existingTables = engine === 'postgres' ? tablesOf(stored) : new Set<string>();
  const { now: steps, later } = splitByTransaction(plan.steps, existingTables, earlierWork.remaining);
  // SQLite refuses to drop a column that a trigger names.
  if (steps.length > 0) await dropTriggers(engine, tx, namedDefinitions);
  await runSteps(steps);
  await updateTriggers(engine, tx, namedDefinitions);
  descriptions.push(
    ...later.map(({ description }) => (options.later ? `${description} while the service runs` : description)),
  );
  for (const [name, schema] of plan.schemas) {
    if (JSON.stringify(stored.get(name)) !== JSON.stringify(schema)) await writeSchema(tx, name, schema, now());
  }
  for (const name of abandoned) await writeSchema(tx, name, undefined, now());
  if (engine === 'postgres') await countRowChanges(tx, inUse);
  for (const { description, fix } of plan.unnamed) report?.(`${description}. To remove it: ${fix}`);
  return [...new Set(descriptions)];
}

/** Statements of the operator do not fill the folded columns. */
async function refoldTables(executor: Executor, tables: readonly TableSchema[]): Promise<void> {
  for (const { table, columns } of tables) {
    for (const [folded, { from }] of Object.entries(columns))
      if (from) await foldColumn(table, from, folded, { checksAll: true }).run(executor);
  }
}

async function performStep(executor: Executor, { statements, rows, finish = [] }: Step, progress: StepProgress) {
  for (const statement of statements) await writeUnprepared(executor, statement);
  await rows?.run(executor, progress.rows);
  for (const statement of finish) await writeUnprepared(executor, statement);
}
