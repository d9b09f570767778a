import { changeAs } from '../../database/change-as.ts';
import { actingAs } from '../../database/change-log/actor.ts';
import type { Call } from '../declaration/define-resource.ts';
import type { Resource } from '../model/resource.ts';
import type { ResourceServices } from '../model/resource-services.ts';
import { quoted } from '../sql/sql-text.ts';
import { HookRuns } from './hook-runs.ts';
import type { Values } from './read-input.ts';
import type { WriteContext } from './write-context.ts';

const users = quoted('users');

/**
 * Runs work in the transaction of a write, which holds the caller's right to it. Whatever runs inside sees the caller as it
 * is then, not as it was when the request came. It may run more than once (see `changeAs`).
 */
export async function inTransaction<T>(
  services: ResourceServices,
  resource: Resource,
  call: Call,
  { scope, id }: { readonly scope: string | undefined; readonly id?: string },
  work: (write: WriteContext) => Promise<T>,
): Promise<T> {
  const { database } = services.context;
  const { engine } = database;
  const { ofAccounts, recorded } = resource;
  const target = resource.table === users ? { userId: id } : { accountId: ofAccounts ? id : undefined };
  const act = { caller: call.caller, scope, ofAccounts, recorded, ...target };
  const hooks = new HookRuns(engine);
  let afterCommit: WriteContext['afterCommit'] = [];
  const result = await hooks.attempt(() =>
    changeAs(database, services.holdAuthority, act, (tx, invalidate, caller) => {
      const revealed: Values = {};
      afterCommit = [];
      const context: WriteContext = {
        services,
        call: {
          ...call,
          caller,
          tx,
          invalidate,
          reveal: (fields) => void Object.assign(revealed, fields),
          later: (name, data, options) => call.later(name, data, { tx, ...options }),
          mail: (template, to, data, other) => call.mail(template, to, data, other ?? tx),
        },
        outside: { ...call, caller },
        hooks,
        afterCommit,
        revealed,
        engine,
        db: tx,
        caller,
        now: call.now,
      };
      return recorded && engine === 'sqlite' ? actingAs(tx, caller, () => work(context)) : work(context);
    }),
  );
  if (recorded) services.recorded?.();
  for (const hook of afterCommit) await runAfterCommit(services, resource, hook);
  return result;
}

/** What is committed stays so: whoever asked for it is told that it succeeded. */
async function runAfterCommit(
  { context: { log } }: ResourceServices,
  { name }: Resource,
  hook: () => Promise<void> | void,
): Promise<void> {
  try {
    await hook();
  } catch (error) {
    log.error({ err: error, resource: name }, 'afterCommit failed; what was written stays');
  }
}
