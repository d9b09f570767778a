import type { HoldAuthority } from '../../database/change-as.ts';
import type { Context } from '../../database/context.ts';
import type { MacKeys } from '../../database/keys/mac-keys.ts';
import type { RequestSource } from '../../http/request-source.ts';
import type { Caller } from '../../platform/caller.ts';
import type { Enqueuing } from '../declaration/enqueuing.ts';
import type { Resources } from './resource.ts';

/** Makes MACs that show that the service itself made a value. */
export type Macs = Pick<MacKeys, 'mac' | 'macs' | 'matches'>;

export interface ListPositions {
  /** Call it before the list is read. */
  before(): number | Promise<number>;
  /** A column of the list's own statement, which tells its snapshot. */
  readonly column: string;
  /** `known`: the result of `before`. `read`: the value of the column, undefined without rows. */
  write(known: number, read: unknown): string;
  /** Part of the ETag, so that no 304 outlives the stored positions. */
  readonly era: string;
}

/** Throws if the password is wrong. */
export type ProveByPassword = (call: { caller: Caller; source: RequestSource }, password: unknown) => Promise<Caller>;

export interface ResourceServices {
  readonly context: Context;
  readonly resources: Resources;
  readonly keys: Macs;
  readonly holdAuthority: HoldAuthority;
  /** Wakes subscribers after this process has written recorded rows. */
  readonly recorded?: () => void;
  readonly positions?: ListPositions;
  readonly proveByPassword: ProveByPassword;
  readonly enqueuing: Enqueuing;
}
