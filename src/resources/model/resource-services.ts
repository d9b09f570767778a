import type { LockAuthority } from '../../database/change-as.ts';
import type { Context } from '../../database/context.ts';
import type { MacKeys } from '../../database/keys/mac-keys.ts';
import type { RequestSource } from '../../http/request-source.ts';
import type { Caller } from '../../platform/caller.ts';
import type { Enqueuing } from '../declaration/enqueuing.ts';
import type { Resources } from './resource.ts';

/** Creates and verifies MACs, to recognise values of the service itself. */
export type Macs = Pick<MacKeys, 'mac' | 'macs' | 'matches'>;

export interface ListPositions {
  /** Call it before the list query. */
  before(): number | Promise<number>;
  /** A column for the statement of the list. It returns the snapshot of the statement. */
  readonly column: string;
  /** `known`: the result of `before`. `read`: the value of the column, or undefined without rows. */
  write(known: number, read: unknown): string;
  /** Part of the ETag, so that a client does not get 304 with a position that is too old. */
  readonly history: string;
}

/** Throws if the password is wrong. */
export type ProveByPassword = (call: { caller: Caller; source: RequestSource }, password: unknown) => Promise<Caller>;

export interface ResourceServices {
  readonly context: Context;
  readonly resources: Resources;
  readonly keys: Macs;
  readonly lockAuthority: LockAuthority;
  /** Wakes subscribers after this process has written recorded rows. */
  readonly wakeSubscribers?: () => void;
  readonly positions?: ListPositions;
  readonly proveByPassword: ProveByPassword;
  readonly enqueuing: Enqueuing;
}
