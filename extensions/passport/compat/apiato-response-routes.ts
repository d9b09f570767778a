import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { isInternal } from '../../../src/http/internal-request.ts';
import { queryOf } from '../../../src/http/query-of.ts';
import { asObject } from '../../../src/platform/is-object.ts';
import { parseJson } from '../../../src/platform/json-text.ts';
import type { ResourceDefinition } from '../../../src/resources/declaration/define-resource.ts';
import { wantsPlainIds } from './call-api-routes.ts';
import type { LegacyIds } from './legacy-ids.ts';

type Row = Record<string, unknown>;

/** The id fields of a resource, with the resource of each id. */
type Targets = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Requests that asked for permissions. Here, permissions are the scopes of roles. */
const wantsPermissions = new WeakSet<FastifyRequest>();

/** `include=roles,permissions`: included values that are not relations. */
export function readIncludes(request: FastifyRequest): void {
  const query = queryOf(request);
  if (query.include === undefined) return;
  const names = query.include.split(',').map((name) => name.trim());
  if (names.includes('permissions')) wantsPermissions.add(request);
  const relations = new Set(names.map((name) => name.replace(/(^|\.)permissions$/, '')).filter((name) => name !== ''));
  if (relations.size > 0) query.include = [...relations].join(',');
  else delete query.include;
}

/** Responses of a resource in Apiato's format: `object` in each row, `include` and `custom` in `meta`, hashed ids. */
export function transformResponses(
  route: RouteOptions,
  resource: ResourceDefinition,
  {
    ids,
    targets,
    definitions,
    permissionsOf,
  }: {
    ids: LegacyIds;
    targets: Targets;
    definitions: ReadonlyMap<string, ResourceDefinition>;
    permissionsOf: (role: string) => readonly Row[];
  },
): void {
  addOnSend(route, async (request, reply, payload) => {
    if (isInternal(request)) return payload;
    const body = reply.statusCode < 300 ? bodyOf(reply, payload) : undefined;
    if (!body || !('data' in body)) return payload;
    const rows = (Array.isArray(body.data) ? body.data : [body.data]).filter(isRow);
    for (const row of rows) {
      row.object ??= objectOf(resource);
      if (wantsPermissions.has(request))
        row.permissions = { data: rolesOf(row, resource).flatMap(permissionsOf).filter(isFirst) };
    }
    const embedded = rows.flatMap((row) => embeddedIn(row, resource, definitions));
    for (const { row, definition } of embedded) row.object ??= objectOf(definition);
    const all = [...rows.map((row) => ({ row, definition: resource })), ...embedded];
    if (!wantsPlainIds(request)) await hideIds(ids, targets, all);
    const hasPermissions = ['users', 'roles'].includes(resource.name);
    const include = [...Object.keys(resource.relations ?? {}), ...(hasPermissions ? ['permissions'] : [])];
    body.meta = { include, custom: [], ...asObject(body.meta) };
    return send(reply, body);
  });
}

/** Errors in Laravel's format, for requests that do not accept problem+json. */
export async function transformErrors(request: FastifyRequest, reply: FastifyReply, payload: unknown) {
  if (isInternal(request) || !request.url.startsWith('/v1/') || !payload || reply.statusCode < 400) return payload;
  if (!String(reply.getHeader('content-type')).startsWith('application/problem+json'))
    return withMessage(reply, payload);
  if (request.headers.accept?.includes('application/problem+json')) return payload;
  const problem = parseJson<{ detail: string; code?: string; errors?: FieldError[] }>(String(payload));
  const byField = Map.groupBy(problem.errors ?? [], ({ field }) => field);
  const errors = Object.fromEntries([...byField].map(([field, all]) => [field, all.map(({ message }) => message)]));
  reply.header('content-type', 'application/json; charset=utf-8');
  const message = problem.errors ? 'The given data was invalid.' : problem.detail;
  return send(reply, { message, errors, code: problem.code });
}

/** A rejected login is an OAuth error. Apiato front ends show its `message`. */
function withMessage(reply: FastifyReply, payload: unknown): unknown {
  const body = bodyOf(reply, payload);
  if (typeof body?.error_description !== 'string') return payload;
  return send(reply, { message: body.error_description, errors: {}, ...body });
}

interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** One query for each kind of id, for any number of rows. */
async function hideIds(ids: LegacyIds, targets: Targets, all: readonly { row: Row; definition: ResourceDefinition }[]) {
  const places = all.flatMap(({ row, definition }) =>
    [...(targets.get(definition.name) ?? [])].flatMap(([field, target]) => {
      const id = row[field];
      return typeof id === 'string' ? [{ row, field, id, target }] : [];
    }),
  );
  for (const resource of ['users', 'clients'] as const) {
    const matching = places.filter(({ target }) => target === resource);
    const hiddenIds = await ids.hide(
      resource,
      matching.map(({ id }) => id),
    );
    for (const { row, field, id } of matching) row[field] = hiddenIds.get(id) ?? id;
  }
}

function embeddedIn(row: Row, resource: ResourceDefinition, definitions: ReadonlyMap<string, ResourceDefinition>) {
  return Object.entries(resource.relations ?? {}).flatMap(([name, { target }]) => {
    const definition = definitions.get(target);
    const relation = row[name];
    if (!definition || !isRow(relation) || !('data' in relation)) return [];
    const rows = (Array.isArray(relation.data) ? relation.data : [relation.data]).filter(isRow);
    return rows.map((embedded) => ({ row: embedded, definition }));
  });
}

/** The names of the roles, embedded or not. For a role: its own name. */
function rolesOf({ roles, name }: Row, resource: ResourceDefinition): string[] {
  if (resource.name === 'roles') return [String(name)];
  const roleNames = isRow(roles) && Array.isArray(roles.data) ? roles.data.map(({ name }: Row) => name) : roles;
  return Array.isArray(roleNames) ? roleNames.map(String) : [];
}

const isFirst = ({ id }: Row, index: number, all: readonly Row[]): boolean =>
  all.findIndex((other) => other.id === id) === index;

/** Rows of `order_items` have the object `OrderItem`. */
function objectOf({ name, singular }: ResourceDefinition): string {
  const singularName = singular ?? name.replace(/ies$/, 'y').replace(/s$/, '');
  return singularName.replace(/(^|[_\s-])([a-z])/g, (_all, _dash, letter: string) => letter.toUpperCase());
}

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);

function bodyOf(reply: FastifyReply, payload: unknown): Row | undefined {
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return undefined;
  if (payload.length === 0 || !String(reply.getHeader('content-type')).startsWith('application/json')) return undefined;
  const body: unknown = JSON.parse(payload.toString());
  return isRow(body) ? body : undefined;
}

function send(reply: FastifyReply, body: Row): string {
  const text = JSON.stringify(body);
  if (reply.hasHeader('content-length')) reply.header('content-length', Buffer.byteLength(text));
  return text;
}

type OnSend = (request: FastifyRequest, reply: FastifyReply, payload: unknown) => Promise<unknown>;

function addOnSend(route: RouteOptions, hook: OnSend): void {
  route.onSend = [...[route.onSend ?? []].flat(), hook];
}
