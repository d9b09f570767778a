import { sql } from 'kysely';
import { setActorForTransaction } from '../../database/change-log/actor.ts';
import type { Tx } from '../../database/database.ts';
import { systemCaller } from '../../platform/caller.ts';
import { didYouMean } from '../declaration/check-options.ts';
import type { Call } from '../declaration/define-resource.ts';
import type { ResourceCalls, ResourceOf, ServiceResourceOf } from '../declaration/resource-calls.ts';
import type { ResourceServices } from '../model/resource-services.ts';
import { defaultRowQuery } from '../query/list-query.ts';
import { selectionFor } from '../read/resource-cache.ts';
import { shownRow } from '../read/row-json.ts';
import { lockRow } from './allowed-row.ts';
import { prepareWrite } from './prepare-write.ts';
import {
  type BoundResource,
  type CallSource,
  findBound,
  listBound,
  requireOperation,
  requireSoftDelete,
} from './resource-reads.ts';
import {
  changeResource,
  createResource,
  deleteResource,
  mapReferenceViolation,
  restoreLocked,
  restoreResource,
} from './write-resource.ts';
import { changeRow, insertRow, removeRow } from './write-row.ts';
import { isInTransaction, lockTargetOf, type WriteContext, writeOfTransaction } from './write-transaction.ts';

/** The maximum depth of nested writes. It stops a hook that writes its own row. */
const maxDepth = 10;

/** A request as hooks see it, with the functions that read and write other resources. */
export const createCall = (services: ResourceServices, callSource: CallSource): Call => ({
  ...services.enqueuing,
  context: services.context,
  caller: callSource.caller,
  source: callSource.source,
  now: services.context.now(),
  resource: resourceFor(services, callSource),
});

/** The functions with which custom code reads and writes resources. `outerWrite`: the write whose hook calls them. */
export const resourceFor =
  (services: ResourceServices, callSource: CallSource, outerWrite?: WriteContext): ResourceOf =>
  (name, options) => {
    const resource = services.resources.get(name);
    if (!resource) throw new Error(`no resource is named "${name}".${didYouMean(name, services.resources.keys())}`);
    const { as, tx } = options ?? {};
    if (as !== 'caller' && as !== 'service') {
      throw new Error(`resource("${name}"): state the rights of the call, as: 'caller' or as: 'service'.`);
    }
    const actor = as === 'service' ? { ...callSource, caller: systemCaller } : callSource;
    const write = outerWrite ?? (tx && writeOfTransaction(tx));
    if (!write && isInTransaction()) {
      throw new Error(`resource("${name}"): inside a transaction, pass it on: resource("${name}", { as, tx }).`);
    }
    return callsOf({ services, resource, source: actor, write }) as never;
  };

/** The same for code without a caller. It acts as the service. */
export const serviceResource =
  (resource: ResourceOf): ServiceResourceOf =>
  (name, { tx } = {}) =>
    resource(name, { as: 'service', tx });

function callsOf(bound: BoundResource): ResourceCalls {
  const { services, resource, source, write } = bound;
  const call = () => createCall(services, source);
  const input = { isForm: false, asService: source.caller.kind === 'system' } as const;
  const request = () => ({ ...input, call: call(), selection: selectionFor(resource, defaultRowQuery) });
  /** Inside a transaction, the rights were already checked. */
  const prepare = ({ call }: WriteContext, change: Pick<Parameters<typeof prepareWrite>[1], 'body' | 'mode' | 'id'>) =>
    prepareWrite(resource, { ...input, ...change, call }, async () => undefined);
  return {
    find: async (id, query = {}) => findBound(bound, id, query),
    list: async (query = {}) => listBound(bound, query),
    aggregate: async (query) => listBound(bound, query),
    async create(body) {
      requireOperation(bound, 'create');
      if (!write) {
        const created = await createResource(services, resource, { ...request(), body, key: undefined });
        return JSON.parse(created.body).data;
      }
      return inSequence(bound, write, undefined, async (nested) => {
        const { values } = await prepare(nested, { body, mode: 'create' });
        const row = await insertRow(nested, resource, { ...values });
        return { ...shownRow(resource, row), ...nested.revealed };
      });
    },
    async update(id, body, { ifMatch } = {}) {
      requireOperation(bound, 'update');
      if (!write) {
        const change = { ...request(), id, body, mode: 'update', ifMatch } as const;
        return JSON.parse((await changeResource(services, resource, change)).json).data;
      }
      return inSequence(bound, write, id, async (nested) => {
        const before = await lockRow(nested, resource, id, 'update', ifMatch);
        const { values, unchanged } = await prepare(nested, { body, mode: 'update', id });
        const row = await changeRow(nested, resource, before, { values: { ...values }, unchanged });
        return { ...shownRow(resource, row), ...nested.revealed };
      });
    },
    async delete(id, { ifMatch, forGood = false } = {}) {
      requireOperation(bound, 'delete');
      if (forGood) requireSoftDelete(resource);
      if (!write) return deleteResource(services, resource, { call: call(), id, body: {}, ifMatch, forGood });
      await mapReferenceViolation(services, resource, id, () =>
        inSequence(bound, write, id, async (nested) => {
          const deletion = forGood ? { ...nested, deleted: { resource, filter: 'only' as const } } : nested;
          const before = await lockRow(deletion, resource, id, 'delete', ifMatch);
          await resource.definition.hooks?.prepareDelete?.(nested.call, { id, body: {} });
          await removeRow(nested, resource, before, { forGood });
        }),
      );
    },
    async restore(id: string, { ifMatch }: { readonly ifMatch?: string | undefined } = {}) {
      requireOperation(bound, 'delete');
      requireSoftDelete(resource);
      if (!write)
        return JSON.parse((await restoreResource(services, resource, { ...request(), body: {}, id, ifMatch })).json)
          .data;
      return inSequence(bound, write, id, async (nested) =>
        shownRow(resource, await restoreLocked(nested, resource, id, ifMatch)),
      );
    },
  };
}

const lastNestedWrite = new WeakMap<WriteContext, Promise<unknown>>();

/** Code may start several writes at once. In one transaction, they run one after another. */
function inSequence<T>(...[bound, outerWrite, id, work]: Parameters<typeof writeNested<T>>): Promise<T> {
  const running = (lastNestedWrite.get(outerWrite) ?? Promise.resolve()).then(() =>
    writeNested(bound, outerWrite, id, work),
  );
  lastNestedWrite.set(
    outerWrite,
    running.catch(() => undefined),
  );
  return running;
}

/** A write inside an open transaction. If it fails, only this write is undone, and the transaction can continue. */
async function writeNested<T>(
  { services, resource, source }: BoundResource,
  outerWrite: WriteContext,
  id: string | undefined,
  work: (write: WriteContext) => Promise<T>,
): Promise<T> {
  if (outerWrite.depth >= maxDepth) throw new Error(`hooks of ${resource.name} call each other endlessly`);
  const { tx } = outerWrite.call;
  const { changesAccounts, recorded, writeScope: scope } = resource;
  const authority = { caller: source.caller, scope, changesAccounts, ...lockTargetOf(resource, id) };
  const caller = await services.lockAuthority(tx, authority);
  const queuedBefore = outerWrite.afterCommit.length;
  const { checksRowRule: _checksRowRule, ...inheritedContext } = outerWrite;
  const revealed: Record<string, unknown> = {};
  const actor = { ...source, caller };
  const write: WriteContext = {
    ...inheritedContext,
    caller,
    call: {
      ...outerWrite.call,
      caller,
      resource: (name, options) => resourceFor(services, actor, write)(name, options),
      reveal: (fields) => void Object.assign(revealed, fields),
    },
    callOutside: { ...outerWrite.callOutside, caller, resource: resourceFor(services, actor) },
    revealed,
    actor: recorded ? caller : outerWrite.actor,
    depth: outerWrite.depth + 1,
  };
  const changesActor =
    recorded && (caller.userId !== outerWrite.actor.userId || caller.clientId !== outerWrite.actor.clientId);
  try {
    return await inSavepoint(tx, outerWrite.depth, async () => {
      if (changesActor) await setActorForTransaction(outerWrite.engine, tx, caller);
      const result = await work(write);
      if (changesActor) await setActorForTransaction(outerWrite.engine, tx, outerWrite.actor);
      if (recorded) outerWrite.afterCommit.push({ name: resource.name, run: () => services.changeFeed?.wake() });
      return result;
    });
  } catch (error) {
    outerWrite.afterCommit.length = queuedBefore;
    throw error;
  }
}

/** Runs work in a savepoint. If it throws, only the work is undone. `depth` makes the name of the savepoint unique. */
async function inSavepoint<T>(tx: Tx, depth: number, work: () => Promise<T>): Promise<T> {
  const name = `"gatehouse_write_${depth}"`;
  await sql.raw(`savepoint ${name}`).execute(tx);
  try {
    const result = await work();
    await sql.raw(`release savepoint ${name}`).execute(tx);
    return result;
  } catch (error) {
    await sql.raw(`rollback to savepoint ${name}`).execute(tx);
    await sql.raw(`release savepoint ${name}`).execute(tx);
    throw error;
  }
}
