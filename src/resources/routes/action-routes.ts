import { isDeepStrictEqual } from 'node:util';
import type { FastifyContextConfig, FastifyRequest } from 'fastify';
import type { Caller } from '../../caller.ts';
import type { App } from '../../http/app.ts';
import { isForm } from '../../http/bodies/content-type-parsers.ts';
import type { Action, ActionCall } from '../declaration/define-resource.ts';
import type { Fields } from '../declaration/fields/field.ts';
import type { Resource } from '../model/resource.ts';
import type { ResourceServices } from '../model/resource-services.ts';
import type { RowOperation } from '../model/row-rules.ts';
import { shownRow, wholeRow } from '../read/row-json.ts';
import { allowedRow, lockRow } from '../write/allowed-row.ts';
import { readForm } from '../write/form-body.ts';
import type { WriteContext } from '../write/write-context.ts';
import { changeRow } from '../write/write-row.ts';
import { inTransaction } from '../write/write-transaction.ts';
import { actionDocs } from './openapi-operations.ts';
import { callOf, guardOf, idOf, readContext, sendJson } from './resource-routes.ts';

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
        const result = await action.run(actionCall(services, resource, request, row, access));
        // What an action makes may be a secret, which no cache is to keep.
        if (method !== 'GET') reply.header('cache-control', 'no-store');
        if (result === undefined) return reply.code(204).send();
        return sendJson(reply.code(status), `{"data":${JSON.stringify(result)}}`);
      },
    });
  }
}

type Access = 'read' | 'write' | 'public';

const operationOf = (access: Access): RowOperation => (access === 'write' ? 'update' : 'read');

const sameRights = (a: Caller, b: Caller): boolean => isDeepStrictEqual([a.roles, a.scopes], [b.roles, b.scopes]);

/** What an action writes with. Both ways run in a transaction that holds the caller's right to act. */
function actionCall(
  services: ResourceServices,
  resource: Resource,
  request: FastifyRequest,
  row: Record<string, unknown> | undefined,
  access: Access,
): ActionCall<Fields, unknown> {
  const call = callOf(services, request);
  const id = row?.id as string;
  const inside = <T>(work: (write: WriteContext) => Promise<T>): Promise<T> =>
    inTransaction(services, resource, call, { scope: request.route.config.scope, id }, async (write) => {
      // The rule of the row was asked with the rights of before.
      if (row && !sameRights(write.caller, call.caller)) {
        await allowedRow(write, resource, id, operationOf(access));
      }
      return work(write);
    });
  return {
    ...call,
    db: services.context.database.db,
    row: row as { id: string },
    body: request.body,
    change: (values) =>
      inside(async (write) => {
        const before = await lockRow(write, resource, id, 'read', undefined);
        const input = { values: { ...values }, unchanged: {} };
        const changed = await changeRow({ ...write, ruled: false }, resource, before, input);
        return shownRow(resource, changed) as { id: string };
      }),
    transaction: (work) =>
      inside((write) => {
        const reveal = () => {
          throw new Error('an action returns what it shows');
        };
        return work({ ...write.call, reveal });
      }),
  };
}

/** The row an action is about: 404 when the caller may not see it, 403 when it may but not write it. */
async function rowOf(
  services: ResourceServices,
  resource: Resource,
  request: FastifyRequest,
  access: Access,
): Promise<Record<string, unknown>> {
  const context = readContext(services, request);
  const row = await allowedRow(context, resource, idOf(resource, request), operationOf(access));
  return wholeRow(resource, row);
}
