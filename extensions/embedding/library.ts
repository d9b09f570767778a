import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Config, type ConfigFile, loadConfig } from '../../src/config/config.ts';
import type { App } from '../../src/http/app.ts';
import { logFirstAdministrator } from '../../src/identity/accounts/first-password.ts';
import {
  compileRoutes,
  firstAdministratorOf,
  prepareGatehouse,
  type RunningGatehouse,
  startGatehouse as startService,
} from '../../src/main/start.ts';
import { OperatorError } from '../../src/platform/errors.ts';
import { createLog } from '../../src/platform/log.ts';

/** The module `gatehouse-server`: the service as a part of another program. */
export type { RunningGatehouse } from '../../src/main/start.ts';
export type { ConfigFile };

/** Workers are separate processes. Here, the process belongs to the host program. */
async function loadOwnConfig(settings: ConfigFile, workingDir: string): Promise<Config> {
  const config = await loadConfig({}, workingDir, settings);
  if (config.workers === 1) return config;
  throw new OperatorError(
    `WORKERS: got ${config.workers}; inside another program the service runs in that program's process. Unset it, and start the program several times with PostgreSQL, or serve with: npx gatehouse-server serve`,
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
  await compileRoutes(app);
  mountApp(host, app, new URL(config.baseUrl).pathname.replace(/\/$/, ''));
  const administrator = await firstAdministratorOf(prepared);
  if (administrator) logFirstAdministrator(log, administrator);
}

/** The members of a Fastify instance that the plugin uses. The host may have another version of Fastify. */
interface Host {
  readonly supportedMethods: string[];
  hasRoute(route: { method: string; url: string }): boolean;
  addHook(name: 'onClose', hook: () => Promise<void>): unknown;
  route(options: {
    method: string[];
    url: string;
    onRequest(request: { raw: IncomingMessage }, reply: { raw: ServerResponse; hijack(): unknown }): Promise<void>;
    handler(request: unknown, reply: unknown): unknown;
  }): unknown;
}

/** RFC 8414 3.1 and RFC 9728 3.1: these documents are at the root of the host, with the path of the service at the end. */
const rootDocuments = ['oauth-authorization-server', 'openid-configuration', 'oauth-protected-resource'];

/**
 * Serves requests that match no route of the host, below `prefix`, and the metadata of `prefix` at the root. The host's
 * hooks after `onRequest` do not run.
 */
function mountApp(host: Host, app: App, prefix: string): void {
  const documents = rootDocuments
    .flatMap((name) => [`/.well-known/${name}${prefix}`, `/.well-known/${name}${prefix}/*`])
    .filter((url) => !host.hasRoute({ method: 'GET', url }));
  const paths = prefix === '' ? ['/*'] : [prefix, `${prefix}/*`, ...documents];
  for (const url of paths) {
    host.route({
      method: host.supportedMethods,
      url,
      onRequest: async (request, reply) => {
        reply.hijack();
        request.raw.url = withoutPrefix(request.raw.url ?? '/', prefix);
        app.routing(request.raw, reply.raw);
      },
      // Never called, but Fastify requires a handler.
      handler: (_request, reply) => reply,
    });
  }
}

function withoutPrefix(url: string, prefix: string): string {
  if (url.startsWith('/.well-known/')) return url;
  const path = url.slice(prefix.length);
  return path.startsWith('/') ? path : `/${path}`;
}
