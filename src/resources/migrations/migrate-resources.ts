import { isDeepStrictEqual } from 'node:util';
import * as postgres from '../../database/change-log/postgres-triggers.ts';
import * as sqlite from '../../database/change-log/sqlite-triggers.ts';
import type { Database, Db, Engine, Tx } from '../../database/database.ts';
import { withMigrationLock } from '../../database/locks/migration-lock.ts';
import { countRowChanges } from '../../database/postgres/batching/count-row-changes.ts';
import { OperatorError } from '../../platform/errors.ts';
import { type BeginProgress, noProgress, type StepProgress, stepProgress } from '../../platform/progress.ts';
import type { ResourceDefinition } from '../declaration/define-resource.ts';
import { type Executor, writeUnprepared } from '../sql/executor.ts';
import { quoted, raw } from '../sql/sql-text.ts';
import { missingDefaults } from './fill-defaults.ts';
import { fillFolded, refold } from './fill-folded.ts';
import { finishMigrations } from './finish-migrations.ts';
import type { Step } from './migration-steps.ts';
import { convertRows } from './plan/conversions.ts';
import { splitByTransaction, stepsBeforeTransaction, withoutDeferrableIndexes } from './plan/order-of-steps.ts';
import { planAdditions, planMigrations, type Snapshots } from './plan/plan-migrations.ts';
import { planError } from './plan-error.ts';
import type { WatchedTransaction } from './record-tables.ts';
import { recordedTables } from './recorded-tables.ts';
import { type RemainingStatements, runBeforeTransaction } from './run-before-transaction.ts';
import { readSchemas, writeSchema } from './schema-store.ts';
import { type TableSchema, tableSchema } from './storage-schema.ts';
import { storedSchema, withStoredNames } from './stored-names.ts';

/** Triggers record every write, including those of hooks, commands, cascades and plain SQL. */
const triggersOf = (engine: Engine) => (engine === 'sqlite' ? sqlite : postgres);

/** The migrations of the operator. Each runs once. */
export interface OperatorMigrations {
  readonly names: readonly string[];
  pending(db: Db | Tx): Promise<readonly string[]>;
  /** Returns a text for each migration, and the tables that the migrations may have written. */
  run(
    tx: Tx,
    definitions: readonly ResourceDefinition[],
    begins?: (name: string) => void,
  ): Promise<{ readonly done: readonly string[] } & Pick<WatchedTransaction, 'names'>>;
}

export interface MigrationOptions {
  /** The undeclared tables and columns to remove: all empty ones (true), or the named ones with their data. */
  readonly drop?: true | readonly string[];
  /** Run by `gatehouse migrate`, not by a start, so no other version runs at the same time. */
  readonly byCommand?: boolean;
  /** On PostgreSQL: leaves the work that needs no lock to `finishMigrations`. */
  readonly later?: boolean;
  readonly own?: OperatorMigrations | undefined;
  readonly dryRun?: boolean;
  readonly now?: () => number;
  /** Called for tables and columns that are no longer declared. */
  readonly note?: (line: string) => void;
  readonly progress?: BeginProgress | undefined;
}

function declaredSchemas(definitions: readonly ResourceDefinition[]): Snapshots {
  const tables = new Map(definitions.map(({ name, table = name }) => [name, table]));
  return new Map(
    definitions
      .filter(({ managed }) => managed)
      .map((definition) => [definition.name, tableSchema(definition, tables)]),
  );
}

function byNewNames(stored: Snapshots, definitions: readonly ResourceDefinition[]): Snapshots {
  const renamed = definitions.flatMap((definition): [string, TableSchema][] => {
    const schema = definition.managed ? storedSchema(stored, definition) : undefined;
    return schema ? [[definition.name, schema]] : [];
  });
  return new Map([...stored, ...renamed]);
}

/** The tables with the columns whose stored schema equals the declared one. */
const unchangedColumns = (stored: Snapshots, wanted: Snapshots): TableSchema[] =>
  [...wanted].map(([name, schema]) => {
    const before = stored.get(name)?.columns ?? {};
    const columns = Object.entries(schema.columns).filter(([column, next]) => isDeepStrictEqual(before[column], next));
    return { ...schema, columns: Object.fromEntries(columns) };
  });

const tablesOf = (stored: Snapshots): ReadonlySet<string> => new Set([...stored.values()].map(({ table }) => table));

const permissionsOf = ({ drop, byCommand = false }: MigrationOptions) => ({
  drop: { empty: drop === true, named: drop === true || !drop ? [] : drop },
  retype: byCommand,
});

/** The steps that a start or `gatehouse migrate` would run. Changes nothing. */
export async function planResourceMigrations(database: Database, definitions: readonly ResourceDefinition[]) {
  return withMigrationLock(database, async (tx) => {
    const executor = { engine: database.engine, db: tx };
    return (await planAll(executor, await readSchemas(tx), definitions, {})).plan;
  });
}

const dryRunRollback = new Error('tried, and undone');

/** Migrates the tables to the declarations. Returns a text for each step. If rows violate a declaration, it throws and changes nothing. */
export async function applyResourceMigrations(
  database: Database,
  definitions: readonly ResourceDefinition[],
  options: MigrationOptions = {},
): Promise<string[]> {
  const earlierWork = options.dryRun ? noEarlierWork : await runSlowSteps(database, definitions, options);
  const shown = stepProgress(options.progress ?? noProgress);
  let done: string[] = [];
  try {
    await withMigrationLock(database, async (tx) => {
      done = await migrateInTransaction(database, tx, definitions, options, { earlierWork, shown });
      if (options.dryRun) throw dryRunRollback;
    });
    if (!options.later) await finishMigrations(database, [], options.note);
  } catch (error) {
    if (error !== dryRunRollback) throw error;
  } finally {
    shown.end();
  }
  return done;
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

/** Does nothing if the transaction would be rejected, or if operator migrations run in it. */
async function runSlowSteps(database: Database, definitions: readonly ResourceDefinition[], options: MigrationOptions) {
  const { engine, db } = database;
  if (engine === 'sqlite' || (options.own && (await options.own.pending(db)).length > 0)) return noEarlierWork;
  const { plan } = await withMigrationLock(database, async (tx) =>
    planAll({ engine, db: tx }, await readSchemas(tx), definitions, options),
  );
  const { steps } = plan;
  if (planError(plan, options.drop)) return noEarlierWork;
  const tables = tablesOf(await readSchemas(db));
  const slowSteps = stepsBeforeTransaction(options.later ? withoutDeferrableIndexes(steps, tables) : steps);
  const remaining = await runBeforeTransaction(database, slowSteps, tables, options.progress);
  return { remaining, finished: slowSteps.filter(({ rowsOnly, withoutLock }) => rowsOnly && withoutLock) };
}

async function planAll(
  executor: Executor,
  stored: Snapshots,
  definitions: readonly ResourceDefinition[],
  options: MigrationOptions,
  schemas?: Snapshots,
) {
  const named = withStoredNames(definitions, stored);
  const declared = declaredSchemas(named);
  const permissions = permissionsOf(options);
  const current = schemas ?? byNewNames(stored, named);
  const plan = await planMigrations(executor, current, declared, permissions);
  const inUse = new Set([...declared.values()].map(({ table }) => table));
  const abandoned = [...stored].filter(
    ([name, { table }]) => !declared.has(name) && !inUse.has(table) && permissions.drop.named.includes(name),
  );
  // At a start on PostgreSQL, `finishMigrations` does this work.
  const looksAtRows = executor.engine === 'sqlite' || !options.later;
  const defaults = looksAtRows ? await missingDefaults(executor, unchangedColumns(current, declared)) : [];
  const dropped = abandoned.map(([name, schema]) => dropTable(name, schema));
  const steps = [...plan.steps, ...defaults, ...dropped];
  return { plan: { ...plan, steps }, abandoned: abandoned.map(([name]) => name), inUse: [...inUse] };
}

async function migrateInTransaction(
  { engine, now: clock }: Database,
  tx: Tx,
  definitions: readonly ResourceDefinition[],
  options: MigrationOptions,
  { earlierWork, shown }: { readonly earlierWork: EarlierWork; readonly shown: StepProgress },
): Promise<string[]> {
  const { own, now = clock, note } = options;
  const executor: Executor = { engine, db: tx };
  const triggers = triggersOf(engine);
  const stored = await readSchemas(tx);
  const done = earlierWork.finished.map(({ description }) => description);
  const perform = async (steps: readonly Step[]) => {
    const undone = steps.filter(({ description }) => !earlierWork.remaining.has(description));
    for (const step of steps) {
      for (const statement of earlierWork.remaining.get(step.description) ?? [])
        await writeUnprepared(executor, statement);
      if (earlierWork.remaining.has(step.description)) continue;
      shown.next(step.description, undone.length);
      await performStep(executor, step, shown);
    }
    done.push(...steps.map(({ description }) => description));
  };
  const ownPending = own ? await own.pending(tx) : [];
  let before: Snapshots | undefined;
  if (own && ownPending.length > 0) {
    const named = withStoredNames(definitions, stored);
    const additions = planAdditions(engine, byNewNames(stored, named), declaredSchemas(named));
    await perform(additions.steps);
    const { recorded, unrecorded } = recordedTables(named);
    await triggers.updateTriggers(tx, recorded, unrecorded);
    const ran = await own.run(tx, named, (name) => shown.next(`run the migration ${name}`, ownPending.length));
    done.push(...ran.done);
    await refoldTables(
      executor,
      [...declaredSchemas(named).values()].filter(({ table }) => ran.names(table)),
    );
    before = additions.schemas;
  }
  const { plan, abandoned, inUse } = await planAll(executor, stored, definitions, options, before);
  const refusal = planError(plan, options.drop);
  if (refusal) throw new OperatorError(refusal);
  const existing = engine === 'postgres' ? tablesOf(stored) : new Set<string>();
  const { now: steps, later } = splitByTransaction(plan.steps, existing, earlierWork.remaining);
  const tables = recordedTables(definitions);
  // SQLite refuses to drop a column that a trigger names.
  if (steps.length > 0)
    await triggers.dropTriggers(tx, [...tables.recorded.map(({ table }) => table), ...tables.unrecorded]);
  await perform(steps);
  await triggers.updateTriggers(tx, tables.recorded, tables.unrecorded);
  done.push(...later.map(({ description }) => (options.later ? `${description} while the service runs` : description)));
  for (const [name, schema] of plan.schemas) {
    if (JSON.stringify(stored.get(name)) !== JSON.stringify(schema)) await writeSchema(tx, name, schema, now());
  }
  for (const name of abandoned) await writeSchema(tx, name, undefined, now());
  if (engine === 'postgres') await countRowChanges(tx, inUse);
  for (const { description, fix } of plan.unnamed) note?.(`${description}. To remove it: ${fix}`);
  return [...new Set(done)];
}

/** Statements of the operator do not fill the folded columns. */
async function refoldTables(executor: Executor, tables: readonly TableSchema[]): Promise<void> {
  for (const { table, columns } of tables) {
    for (const [folded, { from }] of Object.entries(columns)) if (from) await refold(executor, { table, from, folded });
  }
}

const dropTable = (name: string, { table }: TableSchema): Step => ({
  description: `drop the table "${table}" of ${name}, which is no longer declared`,
  drops: name,
  statements: [raw(`drop table ${quoted(table)}`)],
});

async function performStep(
  executor: Executor,
  { statements, convert, finish = [], fill }: Step,
  { rows }: StepProgress,
): Promise<void> {
  for (const statement of statements) await writeUnprepared(executor, statement);
  if (convert) await convertRows(executor, convert, rows);
  for (const statement of finish) await writeUnprepared(executor, statement);
  if (fill) await fillFolded(executor, fill, rows);
}
