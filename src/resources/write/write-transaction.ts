import { changeAs } from '../../database/change-as.ts';
import type { Call } from '../declaration/define-resource.ts';
import type { Resource } from '../model/resource.ts';
import type { ResourceServices } from '../model/resource-services.ts';
import { quoted } from '../sql/sql-text.ts';
import type { Values } from './read-input.ts';
import type { WriteContext } from './write-context.ts';

const users = quoted('users');

/**
 * Runs work in the transaction of a write, which holds the caller's right to it. Whatever runs inside sees the caller as it
 * is then, not as it was when the request came. It may run more than once (see `changeAs`).
 */
export function inTransaction<T>(
  services: ResourceServices,
  resource: Resource,
  call: Call,
  { scope, id }: { readonly scope: string | undefined; readonly id?: string },
  work: (write: WriteContext) => Promise<T>,
): Promise<T> {
  const { database } = services.context;
  const { engine } = database;
  const userId = resource.table === users ? id : undefined;
  const act = { caller: call.caller, scope, ofAccounts: resource.ofAccounts, userId };
  return changeAs(database, services.holdAuthority, act, (tx, invalidate, caller) => {
    const revealed: Values = {};
    const reveal = (fields: Values) => void Object.assign(revealed, fields);
    return work({
      services,
      call: { ...call, caller, tx, invalidate, reveal },
      revealed,
      engine,
      db: tx,
      caller,
      now: call.now,
    });
  });
}
