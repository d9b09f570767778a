import type { HoldAuthority } from '../../database/change-as.ts';
import type { Context } from '../../database/context.ts';
import type { Db, Tx } from '../../database/database.ts';
import type { RequestSource } from '../../http/request-source.ts';
import type { Caller } from '../../platform/caller.ts';

import type { Enqueuing } from '../declaration/enqueuing.ts';
import type { Resources } from './resource.ts';

/** Server keys that mark what the service made itself. */
export interface MacKeys {
  mac(purpose: string, data: string): string;
  /** Under each key that counts, the current one's first. */
  macs(purpose: string, data: string): string[];
  matches(purpose: string, data: string, mac: string): boolean;
}

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

/** Throws where this is not the password of the caller. */
export type ProveByPassword = (call: { caller: Caller; source: RequestSource }, password: unknown) => Promise<Caller>;

/** What the functions of the engine work with. */
export interface ResourceServices {
  readonly context: Context;
  readonly resources: Resources;
  readonly keys: MacKeys;
  readonly recordEvent: RecordEvent;
  /** Holds the caller's right to act in the transaction of each write; made by the feature that keeps sessions. */
  readonly holdAuthority: HoldAuthority;
  /** The caller, proved by the password that came along; made by the feature that knows passwords. */
  readonly proveByPassword: ProveByPassword;
  /** Queues work and mail; made by the features that do them. */
  readonly enqueuing: Enqueuing;
}
