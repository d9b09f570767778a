import type { LockAuthority } from '../../database/change-as.ts';
import type { Context } from '../../database/context.ts';
import type { Macs } from '../../database/keys/mac-keys.ts';
import type { RequestSource } from '../../http/request-source.ts';
import type { Caller } from '../../platform/caller.ts';
import type { Enqueuing } from '../declaration/enqueuing.ts';
import type { ChangeFeed } from './change-feed.ts';
import type { AggregateRows } from './paging.ts';
import type { Resources } from './resource.ts';

/** Throws if the password is wrong. */
export type ProveByPassword = (call: { caller: Caller; source: RequestSource }, password: unknown) => Promise<Caller>;

export interface ResourceServices {
  readonly context: Context;
  readonly resources: Resources;
  readonly keys: Macs;
  readonly lockAuthority: LockAuthority;
  /** Undefined in commands, which serve no requests. */
  readonly changeFeed?: ChangeFeed | undefined;
  readonly proveByPassword: ProveByPassword;
  readonly enqueuing: Enqueuing;
  readonly aggregateRows: AggregateRows;
}
