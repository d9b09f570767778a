import { type Config, type ConfigFile, loadConfig } from '../config/config.ts';
import { type Host, mountApp } from '../http/mount.ts';
import { logFirstAdministrator } from '../identity/accounts/first-password.ts';
import { OperatorError } from '../platform/errors.ts';
import { createLog } from '../platform/log.ts';
import {
  firstAdministratorOf,
  prepareGatehouse,
  type RunningGatehouse,
  startGatehouse as startService,
} from './start.ts';

/** The module `gatehouse-server`: the service as a part of another program. */
export type { RunningGatehouse } from './start.ts';
export type { ConfigFile };

/** Workers are separate processes. Here, the process belongs to the host program. */
async function loadOwnConfig(settings: ConfigFile, workingDir: string): Promise<Config> {
  const config = await loadConfig({}, workingDir, settings);
  if (config.workers === 1) return config;
  throw new OperatorError(
    `WORKERS: got ${config.workers}; inside another program the service runs in that program's process. Unset it, and start the program several times with PostgreSQL, or serve with: gatehouse serve`,
  );
}

/**
 * Starts the service as `gatehouse serve` does, with these settings instead of `gatehouse.config.ts`. The environment
 * takes precedence here too. Relative paths start at `workingDir`.
 */
export async function startGatehouse(
  settings: ConfigFile = {},
  { workingDir = process.cwd() }: { workingDir?: string } = {},
): Promise<RunningGatehouse> {
  const config = await loadOwnConfig(settings, workingDir);
  return startService(config, { log: createLog(config.logLevel, process.stdout.isTTY === true) });
}

export interface PluginOptions {
  /** Replaces `gatehouse.config.ts`. `baseUrl` is required: the service is mounted at its path. */
  readonly settings: ConfigFile & { readonly baseUrl: string };
  readonly workingDir?: string;
}

/**
 * Registers the service in another Fastify instance: `await app.register(gatehousePlugin, { settings: { baseUrl: 'https://example.com/auth'
 * } })`. It serves the path of `baseUrl` and its metadata. At the root, it serves every request for which the host has no route. It stops with
 * the host.
 */
export async function gatehousePlugin(host: Host, { settings, workingDir = process.cwd() }: PluginOptions) {
  const config = await loadOwnConfig(settings, workingDir);
  const log = createLog(config.logLevel, process.stdout.isTTY === true);
  const prepared = await prepareGatehouse(config, { log });
  const { app, stop } = prepared;
  host.addHook('onClose', stop);
  await app.ready();
  mountApp(host, app, new URL(config.baseUrl).pathname.replace(/\/$/, ''));
  const administrator = await firstAdministratorOf(prepared);
  if (administrator) logFirstAdministrator(log, administrator);
}
