import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGatehouse, type DeclaredResources, type Gatehouse, type TypedGatehouse } from 'gatehouse-server/client';
import { memoryStore } from 'gatehouse-server/client/login';
import { type ConfigFile, loadTestConfig } from '../../src/config/config.ts';
import type { SentMail } from '../../src/database/context.ts';
import { systemSource } from '../../src/http/request-source.ts';
import { storeNewUser } from '../../src/identity/registration/store-new-user.ts';
import { type RunningGatehouse, startGatehouse } from '../../src/main/start.ts';
import { systemCaller } from '../../src/platform/caller.ts';
import { createLog } from '../../src/platform/log.ts';
import { parseDuration } from '../../src/platform/parse-duration.ts';
import type { ServiceResourceOf } from '../../src/resources/declaration/resource-calls.ts';
import type { RecordedChange } from '../../src/resources/model/change-feed.ts';
import { resourceFor, serviceResource } from '../../src/resources/write/resource-calls.ts';
import { type MakeRow, rowFactory } from '../seeds/row-factory.ts';
import { runSeeds } from '../seeds/run-seeds.ts';

type ClientOf<R> = [R] extends [undefined] ? Gatehouse : R extends DeclaredResources<R> ? TypedGatehouse<R> : never;

export type { RecordedChange, SentMail };

/** A user who can sign in. */
export interface TestUser<R = undefined> {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  readonly roles: readonly string[];
  /** A client that is signed in as this user. */
  readonly client: ClientOf<R>;
}

interface NewUser {
  readonly email?: string;
  readonly role?: string;
  readonly roles?: readonly string[];
  readonly name?: string;
}

/** A queued job that has not finished. */
export interface QueuedJob {
  readonly key: string;
  readonly name: string;
  readonly data: unknown;
  readonly attempt: number;
  readonly state: 'waiting' | 'failed';
  /** Why the last attempt failed. */
  readonly error: string | null;
}

/** The module `gatehouse-server/testing`: a separate service for a test. */
export interface TestService<R = undefined> {
  /** Such as `http://127.0.0.1:49152`. */
  readonly url: string;
  /** A client that is signed in as an administrator. */
  readonly admin: ClientOf<R>;
  /** Creates a user with a confirmed address: `await service.user({ role: 'vet' })`. */
  user(options?: NewUser): Promise<TestUser<R>>;
  /** Registers a user as the API does, and returns a client that is signed in as this user. */
  register(email: string): Promise<ClientOf<R>>;
  /** Creates a row with these values, and generates the other required ones: `service.make('books', { pages: 3 })`. */
  readonly make: MakeRow;
  /** Reads and writes resources with the rights of the service. */
  readonly resource: ServiceResourceOf;
  /** Runs the files in `seeds/`, or the named ones. */
  seed(...names: string[]): Promise<void>;
  /** The service's clock, in milliseconds since 1970. */
  now(): number;
  /**
   * Moves the clock forward, by milliseconds or by a string such as `'90m'` or `'2d'`. Then it runs the due jobs, as
   * `work` does.
   */
  advance(time: number | string): Promise<void>;
  /** Runs the due jobs, including scheduled ones, and sends emails. In a test, the queue does not run automatically. */
  work(): Promise<void>;
  /** The project's queued jobs that have not finished. */
  jobs(name?: string): Promise<QueuedJob[]>;
  /** The sent emails, oldest first. Sends waiting emails first. */
  mails(to?: string): Promise<SentMail[]>;
  /** The recorded changes, oldest first, of one resource or of all resources with changes. */
  changes(resource?: string): Promise<RecordedChange[]>;
  readonly gatehouse: RunningGatehouse;
  /** Stops the service, and removes its data. */
  stop(): Promise<void>;
}

interface Options {
  readonly workingDir?: string;
}

/**
 * Starts the project in the working directory for a test: its own resources, views and `gatehouse.config.ts`, on an
 * empty database in a temporary folder and a free port. Settings from the environment and `.env` do not apply. With
 * the types from `gatehouse types` (`startTestService<Resources>()`), its clients know the resources.
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
  const mails: SentMail[] = [];
  let offset = 0;
  const gatehouse = await startGatehouse(config, {
    log: createLog(config.logLevel, false),
    clockOffset: () => offset,
    idle: true,
    sendMail: (mail) => void mails.push(mail),
  });
  const { url, queue, jobs, resourceServices: services, context } = gatehouse;
  const resource = serviceResource(resourceFor(services, { caller: systemCaller, source: systemSource }));
  const make = rowFactory(services.resources, resource);
  const logIn = async (email: string): Promise<Gatehouse> => {
    const client = createGatehouse({ baseUrl: url, refreshTokens: memoryStore() });
    await client.login({ email, password });
    return client;
  };
  const work = async () => {
    await jobs.tick();
    await queue.runDueJobs();
  };
  const own = new Set(jobs.names);
  return {
    url,
    gatehouse,
    admin: await logIn(adminEmail),
    async user({ role, roles = role === undefined ? [] : [role], ...profile } = {}) {
      const { email = `user-${randomBytes(4).toString('hex')}@example.com`, name = null } = profile;
      const { id } = await storeNewUser(gatehouse.accounts, {
        profile: { email, name, username: null, phone: null },
        password,
        roles: [...roles],
        confirmed: true,
        event: 'user.created',
        mails: false,
        source: systemSource,
      });
      return { id, email, password, roles, client: await logIn(email) };
    },
    async register(email) {
      const response = await fetch(`${url}/v1/register`, {
        method: 'POST',
        headers: { accept: 'application/json', 'content-type': 'application/json' },
        body: JSON.stringify({ email, password }),
      });
      if (!response.ok) throw new Error(`${email} could not be registered: ${await response.text()}`);
      return logIn(email);
    },
    make,
    resource,
    async seed(...names) {
      await runSeeds(services, names);
    },
    now: () => context.now(),
    async advance(time) {
      offset += typeof time === 'number' ? time : readTime(time);
      await work();
    },
    work,
    async jobs(name) {
      const waiting = (await queue.storedJobs()).filter((job) => own.has(job.name));
      return waiting
        .filter((job) => name === undefined || job.name === name)
        .map(({ key, name: of, data, attempt, state, error }) => ({ key, name: of, data, attempt, state, error }));
    },
    async mails(to) {
      await queue.runDueJobs();
      return mails.filter((mail) => to === undefined || mail.to === to);
    },
    changes: async (name) => (await services.changeFeed?.recorded(services.resources, name)) ?? [],
    async stop() {
      await gatehouse.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function readTime(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new TypeError(`advance takes milliseconds, or a string such as '90m', not "${text}".`);
  return ms;
}
