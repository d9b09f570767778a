import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { formatEnglish } from '../config/languages/format-message.ts';
import { listenError, reservePort } from '../config/reserve-port.ts';
import type { Context, OtherWorkers } from '../database/context.ts';
import { findMissingIndexes, migrate } from '../database/migrate.ts';
import { openDatabase } from '../database/open-database.ts';
import type { App } from '../http/app.ts';
import { crossSiteWarning, findCrossSiteOrigins } from '../http/cross-site-origins.ts';
import { type FirstAdministrator, unusedFirstPassword } from '../identity/accounts/first-password.ts';
import { ensureFirstAdministrator } from '../identity/registration/first-administrator.ts';
import { codeOf, OperatorError, reasonOf } from '../platform/errors.ts';
import { createMetrics } from '../platform/metrics.ts';
import type { BeginProgress } from '../platform/progress.ts';
import { serviceVersion } from '../platform/version.ts';
import { type BuiltApp, buildApp } from './app.ts';
import { startTelemetry } from './extensions.ts';
import { openEventsLog } from './open-events-log.ts';
import { finishMigrations } from './open-migrations.ts';
import { openReplicas } from './open-replicas.ts';

export interface StartOptions {
  readonly log: Logger;
  /** Milliseconds to add to the clock; tests step it. */
  readonly clockOffset?: () => number;
  readonly otherWorkers?: OtherWorkers;
  /** For tests: see `Context`. */
  readonly sendMail?: Context['sendMail'];
  readonly idle?: boolean;
  readonly progress?: BeginProgress;
}

export interface RunningGatehouse extends BuiltApp {
  readonly context: Context;
  /** The address that it listens on. Behind a proxy, it differs from `config.baseUrl`. */
  readonly url: string;
  /** The first administrator, if this start created it, or if nobody has signed in with its first password yet. */
  readonly administrator: Promise<FirstAdministrator | undefined>;
  /** Accepts no new connections, finishes running requests, and closes the database. */
  stop(): Promise<void>;
}

/** A running service, in one process or in several. */
export type RunningService = Pick<RunningGatehouse, 'url' | 'administrator' | 'drain' | 'stop'> & {
  readonly context: Pick<Context, 'config' | 'log'>;
};

/** A service that is ready, but does not listen. `created`: the first administrator, if this start created it. */
export type PreparedGatehouse = Omit<RunningGatehouse, 'url' | 'administrator'> & {
  readonly created: FirstAdministrator | undefined;
};

/** Checking an unused first password takes as long as a sign-in. */
export const firstAdministratorOf = async ({ created, context, passwords }: PreparedGatehouse) =>
  created ?? unusedFirstPassword(context, passwords);

export async function startGatehouse(settings: Config, options: StartOptions): Promise<RunningGatehouse> {
  const { config, release } = await reservePort(settings);
  let prepared: PreparedGatehouse | undefined;
  try {
    prepared = await prepareGatehouse(config, options);
    await compileRoutes(prepared.app);
    await release();
    const url = await listen(prepared.app, config);
    return { ...prepared, url, administrator: firstAdministratorOf(prepared) };
  } catch (error) {
    await release();
    await prepared?.stop();
    throw error;
  }
}

const indexesLater = (reason: string) =>
  `Indexes could not be created (${reason}). Gatehouse tries again at the next start.`;

/** Everything in a start except listening. It fails for the same reasons as a start. */
export async function prepareGatehouse(config: Config, options: StartOptions): Promise<PreparedGatehouse> {
  const { log, clockOffset, otherWorkers, progress, sendMail, idle } = options;
  const telemetry = await startTelemetry(serviceVersion);
  const database = await openDatabase(config, openReplicas).catch(async (error) => {
    await telemetry?.stop();
    throw error;
  });
  const now = clockOffset ? () => database.now() + clockOffset() : database.now;
  let eventsLog: Awaited<ReturnType<typeof openEventsLog>>;
  let services: BuiltApp | undefined;
  let stopped = false;
  let indexes: Promise<void> | undefined;
  const stopping = new AbortController();
  const stop = async () => {
    stopping.abort();
    await services?.app.close();
    await eventsLog?.close();
    stopped = true;
    await database.close();
    await indexes;
    await telemetry?.stop();
  };
  try {
    eventsLog = await openEventsLog({ config, database, log });
    const metrics = createMetrics({ version: serviceVersion, engine: database.engine });
    // The last export runs after the database is closed.
    telemetry?.sendMetrics(metrics, () => (stopped ? undefined : services?.refreshMetrics()));
    const service = { config, database, log, metrics, eventsLog, otherWorkers, progress, stopping: stopping.signal };
    const context: Context = { ...service, sendMail, idle, now };
    const names = await migrate(database, now, (line) => log.warn(line), progress);
    if (names.length > 0) log.info({ migrations: names.length, last: names.at(-1) }, 'migrated the database');
    const missing = await findMissingIndexes(database);
    for (const site of findCrossSiteOrigins(config)) log.warn(formatEnglish(crossSiteWarning, { ...site }));
    services = await buildApp(context);
    const created = await ensureFirstAdministrator(services.accounts);
    // The service already serves requests meanwhile. If a stop interrupts this work, nothing is logged, because the
    // next start repeats it.
    const report = (line: string) => (stopped ? undefined : log.warn(line));
    indexes = finishMigrations(database, missing, report).catch(({ message }: Error) => report(indexesLater(message)));
    return { ...services, context, created, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

export async function compileRoutes(app: App): Promise<void> {
  try {
    await app.ready();
  } catch (error) {
    if (!codeOf(error)?.startsWith('FST_ERR_SCH_')) throw error;
    throw new OperatorError(`${reasonOf(error).replace(/^.*?, due to error /, '')}.`);
  }
}

async function listen(app: App, { host, port }: Config): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    throw listenError(error as NodeJS.ErrnoException, host, port);
  }
}
