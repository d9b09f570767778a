import type { FastifyContextConfig, FastifyRequest } from 'fastify';
import { changeAndTell } from '../database/bus.ts';
import { isForm } from '../http/bodies.ts';
import type { App } from '../http/server.ts';
import type { Action, ActionCall, WriteCall } from './define-resource.ts';
import type { Fields } from './fields.ts';
import { readForm } from './form-body.ts';
import { actionDocs } from './openapi-operations.ts';
import { noSuchRow } from './read-rows.ts';
import type { Resource } from './resource.ts';
import { askerOf, callOf, guardOf, idOf, placeOf, sendJson } from './resource-routes.ts';
import type { ResourceServices } from './resource-services.ts';
import { wholeColumns, wholeRow } from './row-json.ts';
import { allowedRows } from './row-rules.ts';
import { raw, readRepeated, sql } from './sql-text.ts';
import { mayNot } from './write-checks.ts';
import { changeByAction } from './write-resource.ts';

/** The hand-written routes of a resource, guarded by its own rules and scopes. */
export function serveActions(app: App, services: ResourceServices, resource: Resource): void {
  for (const declared of resource.definition.actions ?? []) {
    const action = declared as unknown as Action;
    const {
      method = 'POST',
      on = 'row',
      access = method === 'GET' ? 'read' : 'write',
      name,
      body,
      status = 200,
    } = action;
    const config: FastifyContextConfig = access === 'public' ? { auth: 'public' } : guardOf(resource, access);
    app.route({
      method,
      url: on === 'row' ? `/v1/${resource.name}/:id/${name}` : `/v1/${resource.name}/${name}`,
      config,
      schema: actionDocs(resource, action, access),
      serializerCompiler: () => (data) => JSON.stringify(data),
      async preValidation(request) {
        if (body && isForm(request)) request.body = readForm(request.body as Record<string, unknown>, body);
      },
      async handler(request, reply) {
        const row = on === 'row' ? await rowOf(services, resource, request, access) : undefined;
        const result = await action.run(actionCall(services, resource, request, row));
        // What an action makes may be a secret, which no cache is to keep.
        if (method !== 'GET') reply.header('cache-control', 'no-store');
        if (result === undefined) return reply.code(204).send();
        return sendJson(reply.code(status), `{"data":${JSON.stringify(result)}}`);
      },
    });
  }
}

function actionCall(
  services: ResourceServices,
  resource: Resource,
  request: FastifyRequest,
  row: unknown,
): ActionCall<Fields, unknown> {
  const call = callOf(services, request);
  const { database } = services.context;
  return {
    ...call,
    db: database.db,
    row: row as { id: string },
    body: request.body,
    change: async (values) =>
      (await changeByAction(services, resource, call, (row as { id: string }).id, values)) as { id: string },
    transaction: (work) =>
      changeAndTell(database, (tx, tell) => {
        const inside: WriteCall = {
          ...call,
          tx,
          tell,
          reveal() {
            throw new Error('an action returns what it shows');
          },
        };
        return work(inside);
      }),
  };
}

/** The row an action is about: 404 when the caller may not see it, 403 when it may but not write it. */
async function rowOf(
  services: ResourceServices,
  resource: Resource,
  request: FastifyRequest,
  access: 'read' | 'write' | 'public',
): Promise<Record<string, unknown>> {
  const asker = askerOf(services, request);
  const id = idOf(resource, request);
  if (resource.idKind.check(id, {})) throw noSuchRow(resource);
  const deed = access === 'write' ? 'update' : 'read';
  const [row] = await readRepeated(
    placeOf(services, request),
    sql`select ${raw(wholeColumns(resource))}, case when ${allowedRows(resource, deed, asker)} then 1 else 0 end as "_allowed" from ${raw(resource.table)} as t where t."id" = ${id} and ${allowedRows(resource, 'read', asker)}`,
  );
  if (!row) throw noSuchRow(resource);
  if (row._allowed !== 1) throw mayNot(resource, deed);
  return wholeRow(resource, row);
}
