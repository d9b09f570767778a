import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGatehouse, type DeclaredResources, type Gatehouse, type TypedGatehouse } from 'gatehouse-server/client';
import { memoryStore } from 'gatehouse-server/client/login';
import { type ConfigFile, loadTestConfig } from '../config/config.ts';
import { createLog } from '../platform/log.ts';
import { type RunningGatehouse, startGatehouse } from './start.ts';

type ClientOf<R> = [R] extends [undefined] ? Gatehouse : R extends DeclaredResources<R> ? TypedGatehouse<R> : never;

/** What `import … from 'gatehouse-server/testing'` offers: a service of its own for a test, which nothing else sees. */
export interface TestService<R = undefined> {
  /** Such as `http://127.0.0.1:49152`. */
  readonly url: string;
  /** A client that is logged in as an administrator. */
  readonly admin: ClientOf<R>;
  /** Registers somebody, and returns a client that is logged in as them. */
  register(email: string): Promise<ClientOf<R>>;
  readonly gatehouse: RunningGatehouse;
  /** Ends it, and removes its data. */
  stop(): Promise<void>;
}

interface Options {
  readonly workingDir?: string;
}

/**
 * Starts the project in the working directory for a test: its own resources, views and `gatehouse.config.ts`, on an empty
 * database in a temporary folder and a free port. Neither the environment nor `.env` counts here. With the types that
 * `gatehouse types` writes (`startTestService<Resources>()`) its clients know the resources.
 */
export function startTestService(settings?: ConfigFile, options?: Options): Promise<TestService>;
export function startTestService<R extends DeclaredResources<R>>(
  settings?: ConfigFile,
  options?: Options,
): Promise<TestService<R>>;
export async function startTestService(
  settings: ConfigFile = {},
  { workingDir = process.cwd() }: Options = {},
): Promise<TestService> {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-test-'));
  const password = randomBytes(12).toString('base64url');
  const adminEmail = 'admin@example.com';
  const config = await loadTestConfig(
    {
      dataDir: dir,
      databaseUrl: `sqlite:${join(dir, 'test.db')}`,
      host: '127.0.0.1',
      port: 0,
      baseUrl: undefined,
      rateLimit: 0,
      logLevel: 'silent',
      adminEmail,
      adminPassword: password,
      ...settings,
    },
    workingDir,
  );
  const gatehouse = await startGatehouse(config, { log: createLog(config.logLevel, false) });
  const { url } = gatehouse;
  const logIn = async (email: string): Promise<Gatehouse> => {
    const client = createGatehouse({ baseUrl: url, refreshTokens: memoryStore() });
    await client.login({ email, password });
    return client;
  };
  return {
    url,
    gatehouse,
    admin: await logIn(adminEmail),
    async register(email) {
      const response = await fetch(`${url}/v1/register`, {
        method: 'POST',
        headers: { accept: 'application/json', 'content-type': 'application/json' },
        body: JSON.stringify({ email, password }),
      });
      if (!response.ok) throw new Error(`${email} could not be registered: ${await response.text()}`);
      return logIn(email);
    },
    async stop() {
      await gatehouse.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
