import type { Caller } from '../../platform/caller.ts';
import type { Call, WriteCall } from '../declaration/define-resource.ts';
import type { QueryContext } from '../model/query-context.ts';
import type { ResourceServices } from '../model/resource-services.ts';
import type { HookRuns } from './hook-runs.ts';

/** One write, inside its transaction: reads with it see what it has written. */
export interface WriteContext extends QueryContext {
  readonly services: ResourceServices;
  /** The argument of hooks inside the transaction. */
  readonly call: WriteCall;
  /** The argument of hooks outside the transaction. */
  readonly outside: Call;
  readonly hooks: HookRuns;
  /** To be done after the commit. */
  readonly afterCommit: { readonly name: string; run(): Promise<void> | void }[];
  /** The fields that hooks add to this response. */
  readonly revealed: Record<string, unknown>;
  /** The caller was allowed to do this by another rule than that of the row. */
  readonly ruled?: false;
  /** Under whose name changes are recorded at the moment. */
  readonly actor: Caller;
  /** How many writes this one is inside of: a hook may write another row, whose hook writes another. */
  readonly depth: number;
}
