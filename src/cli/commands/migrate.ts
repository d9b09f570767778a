import type { Command } from 'commander';
import { type Config, loadConfig, roleNames } from '../../config/config.ts';
import type { Context } from '../../database/context.ts';
import type { Database } from '../../database/database.ts';
import { findMissingIndexes, knownMigrations, migrate, pendingMigrations } from '../../database/migrate.ts';
import { openDatabase } from '../../database/open-database.ts';
import { serviceTables } from '../../main/service-tables.ts';
import { OperatorError } from '../../platform/errors.ts';
import { commandLog } from '../../platform/log.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { checkDefinitions } from '../../resources/declaration/check-definitions.ts';
import { loadResources } from '../../resources/load-resources.ts';
import { finishMigrations } from '../../resources/migrations/finish-migrations.ts';
import {
  applyResourceMigrations,
  type MigrationOptions,
  planResourceMigrations,
} from '../../resources/migrations/migrate-resources.ts';
import { loadOperatorMigrations } from '../../resources/operator-migrations/load-operator-migrations.ts';
import type { MigrationServices } from '../../resources/operator-migrations/migration-resources.ts';
import { paint } from '../terminal/paint.ts';
import { terminalProgressBar } from '../terminal/progress-bar.ts';
import { clearLine } from '../terminal/progress-line.ts';

type MigrationWork = Awaited<ReturnType<typeof loadWork>>;

export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .description(
      'Run the pending migrations of the service and of the declared resources, without starting the service.',
    )
    .option('--plan', 'show the changes without making them; exits with 1 if the service would refuse to start')
    .option(
      '--drop [names...]',
      'remove tables and columns that no declaration names: all empty ones, or the given ones with their data',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  gatehouse migrate --plan\n  gatehouse migrate\n  gatehouse migrate --drop\n  gatehouse migrate --drop cars.color owners',
    )
    .action(async ({ plan = false, drop }: { plan?: boolean; drop?: true | string[] }) => {
      const config = await loadConfig();
      const database = await openDatabase(config);
      try {
        const work = await loadWork(config, database);
        const { lines, isRefused } = plan
          ? await planOutcome(work)
          : await applyOutcome(work, { byCommand: true, progress: terminalProgressBar, ...(drop ? { drop } : {}) });
        for (const line of lines) console.log(colourStep(line));
        if (lines.length === 0) console.log(paint('green', 'The database is up to date.'));
        if (isRefused)
          throw new OperatorError(
            'The service would refuse to start, because the stored rows do not fit the declared resources.',
          );
      } finally {
        await database.close();
      }
    });
}

async function loadWork(config: Config, database: Database) {
  const log = { info: printLine, warn: printLine };
  const { now } = database;
  const context: Context = { config, database, log: commandLog(), metrics: createMetrics(), now };
  /** The services that migrations use to write resources. */
  const services = { current: trialServices(context) };
  const dependencies = { now, log, services: () => services.current };
  const operatorMigrations = await loadOperatorMigrations(config.migrationsDir, database, dependencies);
  const definitions = [...serviceTables, ...(await loadResources(config.resourcesDir))];
  checkDefinitions(definitions, { roles: roleNames(config) });
  return { context, database, definitions, operatorMigrations, services };
}

const [firstMigration = ''] = knownMigrations;

const colours = [
  [/^(applied|done:)/, 'green'],
  [/^cannot:/, 'red'],
  [/^stays:/, 'yellow'],
] as const;

/** Colours finished steps green, rejected steps red, and unused columns and tables yellow. */
function colourStep(line: string): string {
  const colour = colours.find(([pattern]) => pattern.test(line));
  return colour ? paint(colour[1], line) : line;
}

/** Prints a message of an operator's migration. It replaces the progress bar, if there is one. */
function printLine(...values: readonly unknown[]): void {
  if (process.stderr.isTTY) process.stderr.write(clearLine);
  console.error(...values);
}

interface Outcome {
  readonly lines: readonly string[];
  /** The service would refuse to start. The lines name the reasons. */
  readonly isRefused?: boolean;
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
  const pendingOfOperator =
    operatorMigrations && pending.length === 0 ? await operatorMigrations.pending(database.db) : [];
  if (pendingOfOperator.length > 0) {
    // The result of operator migrations is known only after they have run.
    const steps = await applyResourceMigrations(database, definitions, { operatorMigrations, dryRun: true });
    return { lines: steps.map((step) => `would ${step}`) };
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
    pending.length > 0 ? await (await import('../../main/services.ts')).createServices(context) : undefined;
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
});
