import type { Caller } from '../../platform/caller.ts';
import type { Call, WriteCall } from '../declaration/define-resource.ts';
import type { QueryContext } from '../model/query-context.ts';
import type { ResourceServices } from '../model/resource-services.ts';
import type { HookRuns } from './hook-runs.ts';

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
