import type { FastifyRequest } from 'fastify';
import type { App } from '../../http/app.ts';
import { queryOf } from '../../http/query-of.ts';
import type { Resource, ResourceRelation } from '../model/resource.ts';
import type { ResourceServices } from '../model/resource-services.ts';
import { relatedRows, withDeletedRows } from '../model/row-rules.ts';
import { readListQuery } from '../query/list-query.ts';
import { compileListQuery } from '../read/compile-list-query.ts';
import { listOrAggregateJson } from '../read/list-rows.ts';
import { findRow, preferReplica } from '../read/read-rows.ts';
import { type RowShape, shapeOf } from '../read/row-json.ts';
import type { StoredRow } from '../sql/executor.ts';
import { createRow, idOf, pagingOf, queryContextOf, routeConfig, sendJson } from './resource-routes.ts';

/** `GET|POST /v1/<resources>/<id>/<children>` for every relation that leads to many rows. */
export function serveNested(app: App, services: ResourceServices, resource: Resource): void {
  const parentShape = shapeOf(resource, resource.stored);
  for (const child of resource.relations.values()) {
    if (child.relation.kind === 'belongsTo') continue;
    const { target, name } = child;
    const path = `/v1/${resource.name}/:id/${name}`;
    const configOf = (access: 'read' | 'write', operation: 'list' | 'create') => ({
      ...routeConfig(target, access, { kind: 'nested', resource, relation: child, operation }),
      scope: scopesOf(resource, child, access),
      ...(operation === 'list' ? { query: 'own' as const } : {}),
    });
    app.get(path, { config: configOf('read', 'list') }, async (request, reply) => {
      const query = readListQuery(target, queryOf(request), request.caller);
      const primaryContext = withDeletedRows(queryContextOf(services, request), target, query);
      const context = preferReplica(primaryContext, services.context.database, target, { readsOtherResources: true });
      const list = compileListQuery(context, target, query);
      const parent = await parentOf(services, resource, parentShape, request);
      const parentRows = {
        condition: relatedRows(resource, child, context, parent),
        name: `${resource.name}/${parent.id}/${name}`,
      };
      const paging = { ...pagingOf(services, request, reply), parent: parentRows };
      return sendJson(reply, await listOrAggregateJson(services, context, target, list, paging));
    });
    if (!canCreate(child)) continue;
    app.post(path, { config: configOf('write', 'create') }, async (request, reply) => {
      const parent = await parentOf(services, resource, parentShape, request);
      return createRow(services, target, request, reply, linkToParent(child, parent));
    });
  }
}

/** A nested path also uses the rows that connect the parent to the target, or the field of the parent that names the target. */
function scopesOf(parent: Resource, { relation, target, through }: ResourceRelation, access: 'read' | 'write') {
  const resources = [target, ...(through ? [through] : []), ...('key' in relation ? [parent] : [])];
  return resources.map((resource) => resource[`${access}Scope`]);
}

const parentOf = (services: ResourceServices, resource: Resource, shape: RowShape, request: FastifyRequest) =>
  findRow(queryContextOf(services, request), resource, idOf(resource, request), shape);

function canCreate({ relation, target, through }: ResourceRelation): boolean {
  const created = through ? [target, through] : [target];
  if (created.some(({ definition: { operations } }) => operations?.includes('create') === false)) return false;
  if (relation.kind === 'hasMany') return target.fields.get(relation.by)?.sendable === true;
  if (relation.kind !== 'manyToMany' || !through) return false;
  return [...through.fields.values()].every(
    ({ name, sendable, options }) =>
      name === relation.from || name === relation.to || !sendable || !options.required || options.default !== undefined,
  );
}

function linkToParent({ relation, through }: ResourceRelation, parent: StoredRow) {
  if (relation.kind === 'hasMany') return { fixed: { [relation.by]: parent.id } };
  if (relation.kind !== 'manyToMany' || !through) return {};
  return { link: { resource: through, values: (id: string) => ({ [relation.from]: parent.id, [relation.to]: id }) } };
}
