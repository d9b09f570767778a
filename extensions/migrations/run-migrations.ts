import { terminalProgressBar } from '../../src/cli/terminal/progress-bar.ts';
import { clearLine } from '../../src/cli/terminal/progress-line.ts';
import { type Config, roleNames } from '../../src/config/config.ts';
import type { Context } from '../../src/database/context.ts';
import type { Database } from '../../src/database/database.ts';
import { findMissingIndexes, knownMigrations, migrate, pendingMigrations } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { aggregateRows } from '../../src/main/open-aggregates.ts';
import { checkDeclarations } from '../../src/main/prepare-resources.ts';
import { serviceTables } from '../../src/main/service-tables.ts';
import { commandLog } from '../../src/platform/log.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { loadResources } from '../../src/resources/load-resources.ts';
import { applyResourceMigrations, type MigrationOptions, planResourceMigrations } from './migrate-resources.ts';
import { loadOperatorMigrations } from './operator/load-operator-migrations.ts';
import type { MigrationServices } from './operator/migration-resources.ts';
import { finishMigrations } from './steps/finish-migrations.ts';

type MigrationWork = Awaited<ReturnType<typeof loadWork>>;

interface Outcome {
  readonly lines: readonly string[];
  /** The service would refuse to start. The lines name the reasons. */
  readonly isRefused?: boolean;
}

/** Plans or runs the pending migrations. `drop` and `plan`: see the options of the command. */
export async function runMigrations(
  config: Config,
  { plan, drop }: { readonly plan: boolean; readonly drop: MigrationOptions['drop'] },
): Promise<Outcome> {
  const database = await openDatabase(config);
  try {
    const work = await loadWork(config, database);
    if (plan) return await planOutcome(work);
    return await applyOutcome(work, { byCommand: true, progress: terminalProgressBar, ...(drop ? { drop } : {}) });
  } finally {
    await database.close();
  }
}

async function loadWork(config: Config, database: Database) {
  const log = { info: printLine, warn: printLine };
  const { now } = database;
  const context: Context = { config, database, log: commandLog(), metrics: createMetrics(), now };
  /** The services that migrations use to write resources. */
  const services = { current: trialServices(context) };
  const dependencies = { now, log, services: () => services.current };
  const operatorMigrations = await loadOperatorMigrations(config.migrationsDir, database, dependencies);
  const loadedDefinitions = await loadResources(config.resourcesDir);
  await checkDeclarations(loadedDefinitions, { roles: roleNames(config) }, serviceTables);
  const definitions = [...serviceTables, ...loadedDefinitions];
  return { context, database, definitions, operatorMigrations, services };
}

const [firstMigration = ''] = knownMigrations;

/** Prints a message of an operator's migration. It replaces the progress bar, if there is one. */
function printLine(...values: readonly unknown[]): void {
  if (process.stderr.isTTY) process.stderr.write(clearLine);
  console.error(...values);
}

async function planOutcome({ database, definitions, operatorMigrations }: MigrationWork): Promise<Outcome> {
  const pending = await pendingMigrations(database);
  const names = pending.map((name) => `would apply ${name}`);
  // The plan for the resources needs the service's tables.
  if (pending.includes(firstMigration)) {
    const managed = definitions.filter((definition) => definition.managed);
    const tables = managed.map(({ name }) => `would then update the table of ${name}`);
    const code = (operatorMigrations?.names ?? []).map((name) => `would then run the migration ${name}`);
    return { lines: [...names, ...tables, ...code] };
  }
  const pendingOfOperator = (await operatorMigrations?.pending(database.db)) ?? [];
  if (pendingOfOperator.length > 0) {
    // The result of operator migrations is known only after they have run.
    const steps = await applyResourceMigrations(database, definitions, { operatorMigrations, dryRun: true });
    return { lines: [...names, ...steps.map((step) => `would ${step}`)] };
  }
  const plan = await planResourceMigrations(database, definitions, { operatorMigrations });
  const lines = [
    ...names,
    ...plan.steps.map(({ description }) => `would ${description}`),
    ...plan.blockers.map((blocker) => `cannot: ${blocker}`),
    ...plan.unnamed.map(({ description, fix }) => `stays: ${description} (${fix})`),
  ];
  return { lines, isRefused: plan.blockers.length > 0 };
}

async function applyOutcome(work: MigrationWork, options: MigrationOptions): Promise<Outcome> {
  const { context, database, definitions, operatorMigrations } = work;
  const notes: string[] = [];
  const names = await migrate(database, database.now, (line) => notes.push(line), options.progress);
  const missing = await findMissingIndexes(database);
  const pending = (await operatorMigrations?.pending(database.db)) ?? [];
  const services =
    pending.length > 0 ? await (await import('../../src/main/services.ts')).createServices(context) : undefined;
  if (services) {
    const { keys, enqueuing } = services;
    work.services.current = { ...work.services.current, keys: keys.macKeys, enqueuing };
  }
  const steps = await applyResourceMigrations(database, definitions, { ...options, operatorMigrations }).finally(() =>
    services?.endThreads(),
  );
  await finishMigrations(database, missing, (line: string) => notes.push(line));
  return { lines: [...names.map((name) => `applied ${name}`), ...notes, ...steps.map((step) => `done: ${step}`)] };
}

/** For a trial that is rolled back, and if no migration of the operator is pending: nothing is queued. */
const trialServices = (context: Context): MigrationServices => ({
  context,
  keys: { mac: () => '', macs: () => [], matches: () => false },
  lockAuthority: async (_tx, { caller }) => caller,
  proveByPassword: async ({ caller }) => caller,
  enqueuing: { later: async () => '', mail: async () => undefined },
  aggregateRows,
});
