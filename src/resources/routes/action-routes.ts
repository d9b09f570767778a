import type { FastifyContextConfig, FastifyRequest } from 'fastify';
import type { App } from '../../http/app.ts';
import { isForm } from '../../http/bodies/content-type-parsers.ts';
import { requestSource } from '../../http/request-source.ts';
import { eagerCompilers } from '../../http/schema-compilers.ts';
import type { Caller } from '../../platform/caller.ts';
import { forbidden } from '../../platform/errors.ts';
import { asObject } from '../../platform/is-object.ts';
import { type ActionAccess, evaluateAccess } from '../declaration/access.ts';
import type { Action, ActionCall } from '../declaration/define-resource.ts';
import type { Fields } from '../declaration/fields/field.ts';
import type { Resource } from '../model/resource.ts';
import type { ResourceServices } from '../model/resource-services.ts';
import { callerRuleOf, rowRuleOf } from '../model/row-rules.ts';
import { rowNotFound } from '../read/read-rows.ts';
import { shownRow, wholeRow } from '../read/row-json.ts';
import type { StoredRow } from '../sql/executor.ts';
import { allowedRow, lockRow } from '../write/allowed-row.ts';
import { readForm } from '../write/form-body.ts';
import { checkValues } from '../write/read-input.ts';
import { withPasswordProof } from '../write/with-password-proof.ts';
import { changeRow } from '../write/write-row.ts';
import { inTransaction, type WriteContext } from '../write/write-transaction.ts';
import { closedSchema } from './closed-schema.ts';
import { callOf, idOf, queryContextOf, routeConfig, sendJson } from './resource-routes.ts';

export function serveActions(app: App, services: ResourceServices, resource: Resource): void {
  for (const action of resource.definition.actions ?? []) serveAction(app, services, resource, action);
}

function serveAction(app: App, services: ResourceServices, resource: Resource, action: Action): void {
  const { method = 'POST', on = 'row', name, body, status = 200 } = action;
  const methodAccess = method === 'GET' ? 'read' : 'write';
  const { access = methodAccess } = action;
  const scopeAccess = access === 'read' || access === 'write' ? access : methodAccess;
  // A collection has no row to which a condition could apply, so the rule must be true.
  const requireRule = (caller: Caller, now: number) => {
    if (evaluateAccess(callerRuleOf(resource, access), caller, now) !== true)
      throw forbidden(`You may not run this action on ${resource.name}.`);
  };
  const actionCall = (request: FastifyRequest, row?: Record<string, unknown>): ActionCall<Fields, unknown> => {
    const call = callOf(services, request);
    const id = row?.id as string;
    /** Checks the rule again, because the row or the rights may have changed. The row stays locked until the commit. */
    const inActionTransaction = <T>(work: (write: WriteContext, before?: StoredRow) => Promise<T>): Promise<T> =>
      inTransaction(services, resource, call, { scope: request.route.config.scope, id }, async (write) => {
        if (row) return work(write, await lockRow(write, resource, id, rowRuleOf(access), undefined));
        requireRule(write.caller, write.now);
        return work(write);
      });
    return {
      ...call,
      db: services.context.database.db,
      row: row as { id: string },
      body: request.body,
      change: (values) =>
        inActionTransaction(async (write, before) => {
          if (!before) throw rowNotFound(resource);
          checkValues(resource, values);
          const input = { values: { ...values }, unchanged: {} };
          const changed = await changeRow({ ...write, checksRowRule: false }, resource, before, input);
          return shownRow(resource, changed);
        }),
      transaction: (work) =>
        inActionTransaction((write) => {
          const reveal = () => {
            throw new Error('an action returns its response');
          };
          return work({ ...write.call, reveal });
        }),
    };
  };
  app.route({
    method,
    url: on === 'row' ? `/v1/${resource.name}/:id/${name}` : `/v1/${resource.name}/${name}`,
    config: {
      ...guardFor(resource, access, scopeAccess),
      operation: { kind: 'action', resource, action, access: access === 'public' ? access : scopeAccess },
    },
    ...(body ? { schema: { body: closedSchema(body) } } : {}),
    ...(resource.definition.file === undefined ? {} : eagerCompilers(resource.definition.file)),
    serializerCompiler: () => (data) => JSON.stringify(data),
    async preValidation(request) {
      const { caller } = request;
      // If the body of an action declares `current_password`, the action itself reads it.
      if (caller.kind !== 'anonymous' && !(body && 'current_password' in asObject(asObject(body).properties))) {
        const provable = { call: { caller, source: requestSource(request) }, body: request.body };
        const proved = await withPasswordProof(services, resource, provable);
        request.caller = proved.call.caller;
        request.body = proved.body;
      }
      if (body && isForm(request)) request.body = readForm(request.body, body);
    },
    async handler(request, reply) {
      let row: Record<string, unknown> | undefined;
      if (on === 'row') {
        const context = queryContextOf(services, request);
        row = wholeRow(resource, await allowedRow(context, resource, idOf(resource, request), rowRuleOf(access)));
      } else requireRule(request.caller, services.context.now());
      const result = await action.run(actionCall(request, row));
      // The result of an action may be a secret, so no cache may store it.
      if (method !== 'GET') reply.header('cache-control', 'no-store');
      if (result === undefined) return reply.code(204).send();
      return sendJson(reply.code(status), `{"data":${JSON.stringify(result)}}`);
    },
  });
}

/** An access rule of an action requires a caller with a token. */
function guardFor(resource: Resource, access: ActionAccess, scopeAccess: 'read' | 'write'): FastifyContextConfig {
  if (access === 'public') return { auth: 'public' };
  return access === scopeAccess
    ? routeConfig(resource, access)
    : { ...routeConfig(resource, scopeAccess), auth: 'auth:api' };
}
