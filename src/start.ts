import { createServer } from 'node:net';
import type { Logger } from 'pino';
import { type BuiltApp, buildApp } from './app.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { migrate } from './database/migrate.ts';
import { openDatabase } from './database/open-database.ts';
import { OperatorError } from './errors.ts';
import { openEventsLog } from './events/open-events-log.ts';
import type { App } from './http/app.ts';
import { otherSites } from './http/other-sites.ts';
import { createMetrics } from './metrics.ts';
import { ensureFirstAdministrator, type FirstAdministrator } from './users/registration/first-administrator.ts';

export interface StartOptions {
  readonly log: Logger;
  /** Milliseconds to add to the clock; tests step it. */
  readonly clockOffset?: () => number;
}

/** A service that answers. */
export interface RunningGatehouse extends BuiltApp {
  readonly context: Context;
  /** Where it listens, which is not what the world calls it (`config.baseUrl`) behind a proxy. */
  readonly url: string;
  /** Made by this start, where there was none. */
  readonly administrator: FirstAdministrator | undefined;
  /** Takes no new connections, finishes what is under way, and lets go of the database. */
  stop(): Promise<void>;
}

/** A service that could answer, but does not listen. */
export type PreparedGatehouse = Omit<RunningGatehouse, 'url'>;

/** Opens the database, brings it up to date, makes what is missing, and listens. */
export async function startGatehouse(settings: Config, options: StartOptions): Promise<RunningGatehouse> {
  const config = await withRealPort(settings);
  const prepared = await prepareGatehouse(config, options);
  try {
    await compileRoutes(prepared.app);
    return { ...prepared, url: await listen(prepared.app, config) };
  } catch (error) {
    await prepared.stop();
    throw error;
  }
}

/** All of a start but the listening: whatever stops a start stops this. */
export async function prepareGatehouse(config: Config, { log, clockOffset }: StartOptions): Promise<PreparedGatehouse> {
  const database = await openDatabase(config);
  const now = clockOffset ? () => database.now() + clockOffset() : database.now;
  const eventsLog = openEventsLog({ config, database, log });
  let services: BuiltApp | undefined;
  const stop = async () => {
    await services?.app.close();
    await eventsLog?.close();
    await database.close();
  };
  try {
    const context: Context = { config, database, log, metrics: createMetrics(), eventsLog, now };
    const names = await migrate(database, now, (line) => log.warn(line));
    for (const name of names) log.info({ migration: name }, 'migrated the database');
    for (const warning of otherSites(config)) log.warn(warning);
    services = await buildApp(context);
    const administrator = await ensureFirstAdministrator(context, services.accounts);
    return { ...services, context, administrator, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Makes every route ready to serve, which shows a schema that describes nothing. */
export async function compileRoutes(app: App): Promise<void> {
  try {
    await app.ready();
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    throw code?.startsWith('FST_ERR_SCH_') ? new OperatorError(`${message}.`) : error;
  }
}

async function listen(app: App, { host, port }: Config): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    throw whyNotListening(error as NodeJS.ErrnoException, host, port);
  }
}

function whyNotListening(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const mends = new Map([
    [
      'EADDRINUSE',
      `Another program listens on ${host} port ${port}. Stop it, or choose another port: PORT=${port + 1}`,
    ],
    ['EACCES', `Listening on port ${port} is not allowed to this user. Choose one above 1023: PORT=3000`],
    ['EADDRNOTAVAIL', `HOST=${host} is not an address of this machine. Use 127.0.0.1, or 0.0.0.0 for all addresses.`],
    ['ENOTFOUND', `HOST=${host} is a name that does not resolve. Use 127.0.0.1, or 0.0.0.0 for all addresses.`],
  ]);
  const mend = mends.get(error.code ?? '');
  return mend ? new OperatorError(mend) : error;
}

/** PORT=0 takes any free port, which must be known before the first link or token names the service's address. */
async function withRealPort(config: Config): Promise<Config> {
  if (config.port !== 0) return config;
  const port = await new Promise<number>((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error) => reject(whyNotListening(error, config.host, 0)));
    probe.listen(0, config.host, () => {
      const { port: free } = probe.address() as { port: number };
      probe.close(() => resolve(free));
    });
  });
  return Object.freeze({ ...config, port, baseUrl: config.baseUrl.replace(/:0$/, `:${port}`) });
}
