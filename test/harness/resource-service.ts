import { createHmac, timingSafeEqual } from 'node:crypto';
import { after } from 'node:test';
import pino from 'pino';
import { aggregateRows } from '../../extensions/aggregates/aggregate-store.ts';
import { createCustomJobs } from '../../extensions/jobs/custom-jobs.ts';
import type { JobDefinition } from '../../extensions/jobs/define-job.ts';
import { applyResourceMigrations } from '../../extensions/migrations/migrate-resources.ts';
import { collectRoutes, serveDescriptions, serveDocument } from '../../extensions/openapi/document-routes.ts';
import { parseConfig } from '../../src/config/config.ts';
import type { LockAuthority } from '../../src/database/change-as.ts';
import type { Context } from '../../src/database/context.ts';
import type { Engine } from '../../src/database/database.ts';
import { openKeyRing } from '../../src/database/keys/key-ring.ts';
import type { Macs } from '../../src/database/keys/mac-keys.ts';
import { migrate } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { uuidv7 } from '../../src/database/uuid.ts';
import type { App } from '../../src/http/app.ts';
import { unauthorized } from '../../src/http/gate/unauthorized.ts';
import { createServer } from '../../src/http/server.ts';
import { Mail } from '../../src/identity/mail/mail.ts';
import type { Caller } from '../../src/platform/caller.ts';
import type { FieldError } from '../../src/platform/errors.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { recordEvent } from '../../src/resources/audit/record-event.ts';
import type { ResourceDefinition } from '../../src/resources/declaration/define-resource.ts';
import type { ProveByPassword } from '../../src/resources/model/resource-services.ts';
import { createEnqueuing } from '../../src/resources/queue/create-enqueuing.ts';
import { Queue } from '../../src/resources/queue/queue.ts';
import { readSchemas } from '../../src/resources/schemas/schema-store.ts';
import { withStoredNames } from '../../src/resources/schemas/storage-schema.ts';
import { serveResources } from '../../src/resources/serve-resources.ts';
import { createMigratedDatabase, type TestDatabase } from './engines.ts';
import { type RequestOptions, request } from './request.ts';

const mac = (purpose: string, data: string) =>
  createHmac('sha256', 'a key for tests').update(`${purpose} ${data}`).digest('base64url');
const keys: Macs = {
  mac,
  macs: (purpose, data) => [mac(purpose, data)],
  matches: (purpose, data, given) => {
    const right = Buffer.from(mac(purpose, data));
    const sent = Buffer.from(given);
    return right.length === sent.length && timingSafeEqual(right, sent);
  },
};

/** A token is the name of its user: `admin`, `alice` or `bob`. Scopes follow after a dash (`alice-cars:read`). */
const people = new Map<string, { id: string; roles: string[] }>([
  ['admin', { id: uuidv7(), roles: ['admin'] }],
  ['alice', { id: uuidv7(), roles: [] }],
  ['bob', { id: uuidv7(), roles: [] }],
]);

export const idOf = (name: string): string => people.get(name)?.id ?? '';

function callerOf(token: string): Caller {
  const [name = '', ...scopes] = token.split('-');
  const person = people.get(name);
  if (!person) throw unauthorized('token_malformed');
  return {
    kind: 'user',
    userId: person.id,
    clientId: null,
    sessionId: null,
    application: false,
    roles: person.roles,
    scopes: scopes.length > 0 ? scopes : ['*'],
    proof: { time: null, amr: [], acr: null, freshSeconds: 900, renewable: true },
  };
}

export type Row = Record<string, unknown> & { readonly id: string };

interface Pagination {
  readonly total?: number;
  readonly total_capped?: boolean;
  readonly count: number;
  readonly per_page: number;
  readonly current_page?: number;
  readonly total_pages?: number;
  readonly next_cursor?: string | null;
  readonly links: { readonly next: string | null; readonly previous?: string | null };
}

interface ProblemBody {
  readonly code: string;
  readonly detail: string;
  readonly errors: readonly FieldError[];
}

/** A response whose body has the expected type. */
export interface ResourceResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly row: Row;
  readonly rows: readonly Row[];
  readonly pagination: Pagination;
  readonly problem: ProblemBody;
}

// biome-ignore lint/suspicious/noExplicitAny: the expected type depends on the request.
type AnyBody = any;

export interface ResourceService {
  readonly app: App;
  readonly context: Context;
  readonly database: TestDatabase;
  readonly queue: Queue;
  /** As the administrator by default. */
  request(method: string, path: string, options?: Omit<RequestOptions, 'method'>): Promise<ResourceResponse>;
  advance(ms: number): void;
}

/** The resource engine alone, with test resources and with tokens that name their user. */
export function resourceServices(
  engine: Engine,
): (
  definitions: readonly ResourceDefinition[],
  env?: Record<string, string>,
  jobs?: readonly JobDefinition[],
) => Promise<ResourceService> {
  const closing: (() => Promise<void>)[] = [];
  after(async () => {
    for (const close of closing.reverse()) await close();
  });
  return async (definitions, env = {}, jobs = []) => {
    const database = await createMigratedDatabase(engine);
    closing.push(() => database.remove());
    const config = parseConfig(
      {},
      { DATABASE_URL: database.url, DATA_DIR: database.dir, RATE_LIMIT: '0', LOG_LEVEL: 'silent', PORT: '0', ...env },
      database.dir,
    );
    const open = await openDatabase(config);
    closing.push(() => open.close());
    let offset = 0;
    const context: Context = {
      config,
      database: open,
      log: pino({ level: 'silent' }),
      metrics: createMetrics(),
      now: () => open.now() + offset,
    };
    await migrate(open);
    await applyResourceMigrations(open, definitions);
    for (const [name, { id, roles }] of people) {
      const row = {
        id,
        email: `${name}@example.com`,
        password_hash: '',
        email_confirmed: 1,
        roles: JSON.stringify(roles),
      };
      await open.db
        .insertInto('users')
        .values({ ...row, created_at: 0, updated_at: 0, version: 1 })
        .execute();
    }
    const app = await createServer(context, {
      bearer: callerOf,
      async web() {
        throw unauthorized('token_missing');
      },
    });
    const routes = collectRoutes(app);
    const queue = new Queue(context, await openKeyRing(context));
    const mail = new Mail(context, queue, new Map());
    const names = jobs.map(({ name }) => name);
    const enqueuing = createEnqueuing(context, queue, (tx, sent) => mail.enqueueOwn(tx, sent), names);
    closing.push(() => queue.stop());
    // These callers have no session that could end.
    const lockAuthority: LockAuthority = async (_tx, { caller }) => caller;
    const proveByPassword: ProveByPassword = async ({ caller }) => caller;
    const given = { keys, recordEvent, lockAuthority, proveByPassword, enqueuing, aggregateRows };
    const resources = serveResources(app, context, withStoredNames(definitions, await readSchemas(open.db)), given);
    createCustomJobs(context, queue, jobs).serve({ ...given, context, resources });
    serveDescriptions(app, context, resources);
    serveDocument(app, config, routes, resources);
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    closing.push(() => app.close());
    return {
      app,
      context,
      database,
      queue,
      advance(ms) {
        offset += ms;
      },
      async request(method, path, { token = 'admin', ...options } = {}) {
        const { status, headers, text, body } = await request<AnyBody>({ url }, path.replace(config.baseUrl, ''), {
          method,
          token,
          ...options,
        });
        return {
          status,
          headers,
          text,
          row: body.data,
          rows: body.data,
          pagination: body.meta?.pagination,
          problem: body,
        };
      },
    };
  };
}
