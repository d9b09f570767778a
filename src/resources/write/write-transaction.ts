import { AsyncLocalStorage } from 'node:async_hooks';
import { changeAs, type WriteAuthority } from '../../database/change-as.ts';
import { withActor } from '../../database/change-log/actor.ts';
import type { OperatorTx, Tx } from '../../database/database.ts';
import { type Caller, type RequiredScope, systemCaller } from '../../platform/caller.ts';
import type { Call, WriteCall } from '../declaration/define-resource.ts';
import type { ResourceOf } from '../declaration/resource-calls.ts';
import type { Resource } from '../model/resource.ts';
import type { ResourceServices } from '../model/resource-services.ts';
import type { QueryContext } from '../model/row-rules.ts';
import { quoted } from '../sql/sql-text.ts';
import { completeStatementsPlugin } from './complete-statements.ts';
import { HookRuns } from './hook-runs.ts';
import type { Values } from './read-input.ts';

/** One write inside its transaction. Its reads see its own writes. */
export interface WriteContext extends QueryContext {
  readonly services: ResourceServices;
  /** The argument of hooks inside the transaction. */
  readonly call: WriteCall;
  /** The argument of hooks outside the transaction. */
  readonly callOutside: Call;
  readonly hooks: HookRuns;
  readonly afterCommit: { readonly name: string; run(): Promise<void> | void }[];
  /** The fields that hooks add to this response. */
  readonly revealed: Record<string, unknown>;
  /** False if another rule than that of the row has allowed the write. */
  readonly checksRowRule?: false;
  /** The caller under whose name changes are currently recorded. */
  readonly actor: Caller;
  /** The nesting level: a hook may write another row, whose hook writes another. */
  readonly depth: number;
}

const users = quoted('users');

export const lockTargetOf = (
  { table, changesAccounts }: Resource,
  id: string | undefined,
): Pick<WriteAuthority, 'userId' | 'accountId'> =>
  table === users ? { userId: id } : { accountId: changesAccounts ? id : undefined };

/**
 * Runs work in the transaction of a write and locks the caller's rights. The work sees the caller as of this transaction, not as of the
 * start of the request. It may run more than once (see `changeAs`).
 */
export function inTransaction<T>(
  services: ResourceServices,
  resource: Resource,
  call: Call,
  { scope, id }: { readonly scope: RequiredScope | undefined; readonly id?: string },
  work: (write: WriteContext) => Promise<T>,
): Promise<T> {
  const { changesAccounts, recorded } = resource;
  return writeTransaction(services, call, { scope, changesAccounts, recorded, ...lockTargetOf(resource, id) }, work);
}

/** The same for code that may write any table. */
export async function writeTransaction<T>(
  services: ResourceServices,
  call: Call,
  authority: Omit<WriteAuthority, 'caller'>,
  work: (write: WriteContext) => Promise<T>,
): Promise<T> {
  const { database } = services.context;
  const { engine } = database;
  const { recorded = false } = authority;
  const hooks = new HookRuns(engine);
  let afterCommit: WriteContext['afterCommit'] = [];
  const result = await hooks.attempt(() =>
    changeAs(database, services.lockAuthority, { ...authority, caller: call.caller }, (tx, invalidate, caller) => {
      afterCommit = [];
      const write = writeContext(services, { ...call, caller }, { tx, invalidate, recorded, hooks, afterCommit });
      const transactionState = { isOpen: true };
      const run = () => (recorded && engine === 'sqlite' ? withActor(tx, caller, () => work(write)) : work(write));
      return currentTransaction.run(transactionState, run).finally(() => {
        transactionState.isOpen = false;
      });
    }),
  );
  if (recorded) services.changeFeed?.wake();
  for (const hook of afterCommit) await runAfterCommit(services, hook);
  return result;
}

const currentTransaction = new AsyncLocalStorage<{ isOpen: boolean }>();

/** Whether this code runs inside a transaction. On SQLite, a second transaction would wait for it forever. */
export const isInTransaction = (): boolean => currentTransaction.getStore()?.isOpen === true;

export const outsideTransactions = <T>(work: () => T): T => currentTransaction.exit(work);

interface OpenTransaction extends Pick<WriteContext, 'hooks' | 'afterCommit'>, Pick<WriteCall, 'invalidate'> {
  readonly tx: Tx;
  readonly recorded: boolean;
}

const writesByTransaction = new WeakMap<object, WriteContext>();

export function writeOfTransaction(tx: OperatorTx): WriteContext {
  const write = writesByTransaction.get(tx);
  if (!write) throw new Error('resource(…, { tx }): this is not the transaction from `transaction`.');
  return write;
}

export function writeContext(
  services: ResourceServices,
  call: Call,
  { tx, invalidate, recorded, hooks, afterCommit }: OpenTransaction,
): WriteContext {
  const revealed: Values = {};
  const { caller } = call;
  const completingTx = tx.withPlugin(completeStatementsPlugin(services.resources, services.context.now));
  const resource: ResourceOf = (name, options) => call.resource(name, { ...options, tx: completingTx });
  const write: WriteContext = {
    services,
    call: {
      ...call,
      tx: completingTx,
      invalidate,
      resource,
      reveal: (fields) => void Object.assign(revealed, fields),
      later: (name, data, options) => call.later(name, data, { tx: completingTx, ...options }),
      mail: (template, to, data, mailTx) => call.mail(template, to, data, mailTx ?? completingTx),
    },
    callOutside: call,
    hooks,
    afterCommit,
    revealed,
    actor: recorded ? caller : noActor,
    depth: 0,
    engine: services.context.database.engine,
    db: tx,
    caller,
    now: call.now,
  };
  writesByTransaction.set(tx, write);
  writesByTransaction.set(completingTx, write);
  return write;
}

const noActor: Caller = systemCaller;

/** The write is committed, so the caller gets a success response even if a hook fails now. */
async function runAfterCommit(
  { context: { log } }: ResourceServices,
  { name, run }: WriteContext['afterCommit'][number],
): Promise<void> {
  try {
    await run();
  } catch (error) {
    log.error({ err: error, resource: name }, 'afterCommit failed; the write stays committed');
  }
}
