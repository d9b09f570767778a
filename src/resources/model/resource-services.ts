import type { HoldAuthority } from '../../database/change-as.ts';
import type { Context } from '../../database/context.ts';
import type { Db, Tx } from '../../database/database.ts';
import type { MacKeys } from '../../database/keys/mac-keys.ts';
import type { RequestSource } from '../../http/request-source.ts';
import type { Caller } from '../../platform/caller.ts';

import type { Enqueuing } from '../declaration/enqueuing.ts';
import type { Resources } from './resource.ts';

/** Makes MACs that show that the service itself made a value. */
export type Macs = Pick<MacKeys, 'mac' | 'macs' | 'matches'>;

/** Adds to the audit trail; made by the feature that keeps it. */
export type RecordEvent = (
  context: Context,
  db: Db | Tx,
  event: {
    type: string;
    userId?: string | null;
    clientId?: string | null;
    sessionId?: string | null;
    rowId?: string;
    source: RequestSource;
    data?: Record<string, unknown>;
  },
) => Promise<void>;

/** Says at which position of the log of changes a list was read. */
export interface ListPositions {
  /** To be asked before the list is read. */
  before(): number | Promise<number>;
  /** A column of the list's own statement, which tells its snapshot. */
  readonly column: string;
  /** `known`: what `before` has said; `read`: what the column holds, undefined for a list without rows. */
  write(known: number, read: unknown): string;
  /** Names what must not be answered with 304 for longer than positions are kept. */
  readonly era: string;
}

/** Throws where this is not the password of the caller. */
export type ProveByPassword = (call: { caller: Caller; source: RequestSource }, password: unknown) => Promise<Caller>;

/** The services of the resource engine. */
export interface ResourceServices {
  readonly context: Context;
  readonly resources: Resources;
  readonly keys: Macs;
  readonly recordEvent: RecordEvent;
  /** Holds the caller's right to act in the transaction of each write; made by the feature that keeps sessions. */
  readonly holdAuthority: HoldAuthority;
  /** Tells subscribers that this process has written recorded rows, so that they read the changes at once. */
  readonly recorded?: () => void;
  /** The position of the log that a list is of; made by the feature that keeps it. */
  readonly positions?: ListPositions;

  /** The caller, proved by the password that came along; made by the feature that knows passwords. */
  readonly proveByPassword: ProveByPassword;
  /** Queues work and mail; made by the features that do them. */
  readonly enqueuing: Enqueuing;
}
