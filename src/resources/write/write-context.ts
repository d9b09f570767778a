import type { Caller } from '../../platform/caller.ts';
import type { Call, WriteCall } from '../declaration/define-resource.ts';
import type { QueryContext } from '../model/query-context.ts';
import type { ResourceServices } from '../model/resource-services.ts';
import type { HookRuns } from './hook-runs.ts';

/** One write, inside its transaction: reads with it see what it has written. */
export interface WriteContext extends QueryContext {
  readonly services: ResourceServices;
  /** What hooks are called with. */
  readonly call: WriteCall;
  /** What hooks outside of the transaction are called with. */
  readonly outside: Call;
  readonly hooks: HookRuns;
  /** To be done after the commit. */
  readonly afterCommit: { readonly name: string; run(): Promise<void> | void }[];
  /** What hooks add to this one answer. */
  readonly revealed: Record<string, unknown>;
  /** The caller was allowed to do this by another rule than that of the row. */
  readonly ruled?: false;
  /** Under whose name changes are recorded at the moment. */
  readonly actor: Caller;
  /** How many writes this one is inside of: a hook may write another row, whose hook writes another. */
  readonly depth: number;
}
