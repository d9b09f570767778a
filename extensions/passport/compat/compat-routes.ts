import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Context } from '../../../src/database/context.ts';
import type { App } from '../../../src/http/app.ts';
import { isInternal, requestInside } from '../../../src/http/internal-request.ts';
import { paramsOf, queryOf } from '../../../src/http/query-of.ts';
import { scopesOfRole } from '../../../src/identity/roles/roles-resource.ts';
import { badRequest } from '../../../src/platform/errors.ts';
import { isObject } from '../../../src/platform/is-object.ts';
import type { ResourceDefinition } from '../../../src/resources/declaration/define-resource.ts';
import { maxRows } from '../../../src/resources/write/write-batch.ts';
import { readIncludes, transformErrors, transformResponses } from './apiato-response-routes.ts';
import { asPermission } from './apiato-routes.ts';
import type { LegacyIds } from './legacy-ids.ts';
import { readAsApiato, resolveSearch, wordFields } from './legacy-query.ts';
import { isRefreshRequest, numbersToText, rejectedRefresh, wrapTokens } from './legacy-responses.ts';

const pageSize = 100;
const maxPages = 100;

interface Page {
  readonly data: unknown[];
  readonly meta?: { readonly pagination?: { readonly next_cursor?: string | null } };
}

/** In Apiato, `limit=0` returns everything. Reads all pages on behalf of the caller. */
async function sendEverything(app: App, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const { page: _, count: __, ...query } = queryOf(request);
  const [path] = request.url.split('?', 1);
  const { authorization = '', accept = 'application/json' } = request.headers;
  const rows: unknown[] = [];
  let cursor: string | null | undefined = '';
  for (let i = 0; i < maxPages && typeof cursor === 'string'; i++) {
    const pageQuery: URLSearchParams = new URLSearchParams({ ...query, limit: String(pageSize), cursor });
    const headers = { ...(authorization ? { authorization } : {}), accept, host: request.host };
    // The pages count as requests of the same caller.
    const inject = { method: 'GET', url: `${path}?${pageQuery}`, headers, remoteAddress: request.ip } as const;
    const response = await requestInside(app, inject);
    if (response.statusCode !== 200) {
      return reply
        .code(response.statusCode)
        .header('content-type', response.headers['content-type'])
        .send(response.payload);
    }
    const { data, meta } = response.json<Page>();
    rows.push(...data);
    cursor = meta?.pagination?.next_cursor;
  }
  if (typeof cursor === 'string') {
    throw badRequest(`limit=0 returns up to ${pageSize * maxPages} rows, and there are more: use a cursor instead.`);
  }
  const all = { total: rows.length, count: rows.length, per_page: rows.length, current_page: 1, total_pages: 1 };
  reply.header('content-type', 'application/json; charset=utf-8');
  return JSON.stringify({ data: rows, meta: { pagination: { ...all, links: {} } } });
}

interface Compatibility {
  readonly ids: LegacyIds;
  /** The served resources. Their references tell which fields contain ids of which resource. */
  readonly resources: readonly ResourceDefinition[];
}

const tokenEndpoint = /^(\/v1)?\/oauth\/token$/;
const proxy = /^\/v1\/clients\/[a-z0-9/]+\/(login|refresh)$/;
const resourceRoute = /^\/v1\/([a-z][a-z0-9_-]*)(\/|$)/;

/** Responds like Passport or Apiato. Call it before any route is declared: it wraps each declared route. */
export function serveCompatibly(app: App, context: Context, { ids, resources }: Compatibility): void {
  const { compat } = context.config;
  if (compat === 'off') return;
  const targets = referencesOf(resources);
  const definitions = new Map(resources.map((resource) => [resource.name, resource]));
  const isApiato = compat !== 'passport';
  const permissionsOf = (role: string) =>
    (scopesOfRole(context.config, role) ?? (role === 'admin' ? ['*'] : [])).map((scope) => asPermission(scope));

  app.addHook('onRoute', (route) => {
    const method = String([route.method].flat()[0]);
    if (method === 'POST' && (tokenEndpoint.test(route.url) || proxy.test(route.url))) transformTokenResponse(route);
    // Laravel ignores unknown parameters.
    if (route.url === '/v1/logout' || route.url === '/v1/register') {
      before(route, async (request) => {
        request.query = {};
      });
    }
    if (route.url === '/v1/logout') transformLogoutResponse(route, method);
    const resource = resourceRoute.exec(route.url)?.[1] ?? '';
    const definition = definitions.get(resource);
    const references = targets.get(resource);
    if (definition && references && !proxy.test(route.url)) {
      const resolve = route.url === `/v1/${resource}/batches` ? resolveBatch : resolveIds;
      before(route, (request) => resolve(request, resource, references));
      if (isApiato && method === 'GET') {
        before(route, async (request) => {
          if (isInternal(request)) return;
          readAsApiato(queryOf(request), wordFields(definition));
          readIncludes(request);
        });
        serveUnlimited(route);
      }
      const isRow = new RegExp(`^/v1/${resource}(/:id)?$`).test(route.url);
      if (isApiato && isRow) transformResponses(route, definition, { ids, targets, definitions, permissionsOf });
    }
    const users = definitions.get('users');
    if (isApiato && route.url === '/v1/register' && users) {
      transformResponses(route, users, { ids, targets, definitions, permissionsOf });
    }
  });
  // For the whole service: unknown paths are rejected in the same format.
  if (isApiato) app.addHook('onSend', transformErrors);

  function transformTokenResponse(route: RouteOptions): void {
    before(route, async ({ body }) => numbersToText(body));
    const isRefresh = (request: FastifyRequest) => route.url.endsWith('/refresh') || isRefreshRequest(request.body);
    route.errorHandler = (error, request, reply) => {
      const rejected = isRefresh(request) ? rejectedRefresh(compat, error) : undefined;
      if (!rejected) throw error;
      reply.code(rejected.status).header('cache-control', 'no-store').send(rejected.body);
    };
    if (!proxy.test(route.url) || (compat !== 'apiato12' && compat !== 'apiato13')) return;
    route.schema = { ...route.schema, response: {} };
    route.preSerialization = [
      async (_request: FastifyRequest, reply: FastifyReply, payload: unknown) =>
        reply.statusCode === 200 ? wrapTokens(compat, payload) : payload,
    ];
  }

  function serveUnlimited(route: RouteOptions): void {
    const { handler } = route;
    route.handler = function (request, reply) {
      const { limit } = queryOf(request);
      return limit === '0' && !isInternal(request)
        ? sendEverything(app, request, reply)
        : handler.call(this, request, reply);
    };
  }

  function transformLogoutResponse(route: RouteOptions, method: string): void {
    route.preSerialization = [
      async (_request: FastifyRequest, reply: FastifyReply, payload: unknown) => {
        if (reply.statusCode === 200) reply.code(202);
        return payload;
      },
    ];
    // Apiato 12 and 13 use POST for the logout.
    if (method === 'DELETE') app.route({ ...route, method: 'POST' });
  }

  async function resolveIds(request: FastifyRequest, resource: string, references: References): Promise<void> {
    const path = paramsOf(request);
    if (path.id !== undefined) path.id = await ids.resolve(resource, path.id);
    const query = queryOf(request);
    if (query.search !== undefined) {
      query.search = await resolveSearch(
        query.search,
        (field) => references.get(field),
        (target, value) => ids.resolve(target, value),
      );
    }
    if (isObject(request.body)) await resolveMembers(request.body, references);
  }

  async function resolveMembers(body: Record<string, unknown>, references: References): Promise<void> {
    for (const [field, target] of references) {
      const value = body[field];
      if (typeof value === 'string' || typeof value === 'number')
        body[field] = await ids.resolve(target, String(value));
    }
  }

  /** A batch contains in each row the id and the body of a single request. */
  async function resolveBatch({ body }: FastifyRequest, resource: string, references: References): Promise<void> {
    if (!isObject(body)) return;
    const rows = Array.isArray(body.rows) ? body.rows.slice(0, maxRows) : [];
    for (const row of rows.filter(isObject)) await resolveMembers(row, references);
    const requestedIds: unknown[] = Array.isArray(body.ids) ? body.ids : [];
    for (const [index, id] of requestedIds.slice(0, maxRows).entries()) {
      if (typeof id !== 'string' && typeof id !== 'number') continue;
      requestedIds[index] = await ids.resolve(resource, String(id));
    }
  }
}

function before(route: RouteOptions, work: (request: FastifyRequest) => Promise<void>): void {
  route.preValidation = [...[route.preValidation ?? []].flat(), work];
}

/** Fields that contain ids, and the resources of these ids. */
type References = ReadonlyMap<string, string>;

function referencesOf(resources: readonly ResourceDefinition[]): ReadonlyMap<string, References> {
  return new Map(
    resources.map(({ name, fields }) => {
      const references = new Map<string, string>([['id', name]]);
      for (const [field, { type, options }] of Object.entries(fields)) {
        if (type === 'reference' && options.target !== undefined) references.set(field, options.target);
      }
      return [name, references];
    }),
  );
}
