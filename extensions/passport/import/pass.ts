import type { KeyObject } from 'node:crypto';
import type { Context } from '../../../src/database/context.ts';
import type { KeyRing } from '../../../src/database/keys/key-ring.ts';
import type { LegacyKeys } from '../legacy-tokens/legacy-keys.ts';
import type { ScopeMap } from '../legacy-tokens/scope-map.ts';
import type { Findings } from '../report/report.ts';
import type { FoundTable, Layout } from '../source/layout.ts';
import type { Source } from '../source/source.ts';
import type { WallClock } from '../source/wall-clock.ts';
import type { ImportMap } from './read-map-file.ts';
import type { Condition } from './users/disable-where.ts';

/** A table of users of the old service. */
export interface UserTable extends FoundTable {
  /** The name that the operator gave, which the ids here go by. */
  readonly source: string;
  /** The realm of its people here. */
  readonly realm: string;
}

/** The input of a pass: the options of the operator and the findings in the old service. */
export interface Plan {
  readonly layout: Layout;
  readonly clock: WallClock;
  readonly publicKey: KeyObject;
  readonly appKey: Buffer;
  readonly hashedIds: { readonly salt: string; readonly length: number | undefined };
  readonly scopes: ScopeMap;
  readonly map: ImportMap;
  /** By the provider that clients name; the empty name for those that name none. */
  readonly userTables: ReadonlyMap<string, UserTable>;
  /** Which table a `model_type` means, and what a role is called here, where the operator said so. */
  readonly models: ReadonlyMap<string, string>;
  readonly roles: ReadonlyMap<string, string>;
  /** The guards whose roles count. None: the operator has not said. */
  readonly guards: readonly string[];
  /** Which rows of model_has_roles count, by column, where it has more columns than three. */
  readonly rolesWhere: ReadonlyMap<string, string>;
  /** Which users are disabled here. */
  readonly disableWhere: readonly Condition[];
  /** Columns that mean nothing: of users by name, of other tables as TABLE.COLUMN. */
  readonly ignoredColumns: ReadonlySet<string>;
  /** The scopes that clients can request, by client id; `*` for clients that are not named. */
  readonly clientScopes: ReadonlyMap<string, readonly string[]>;
  /** The new names of Socialite providers whose names differ. */
  readonly social: ReadonlyMap<string, string>;
  /** Keys that Laravel decrypts with: APP_KEY, and those before it. */
  readonly decryptionKeys: readonly Buffer[];
  readonly publicKeyFrom: string;
  /** Many may be gone: the operator knows it. */
  readonly confirmGone: boolean;
  readonly dryRun: boolean;
}

export interface Progress {
  readonly table: string;
  readonly done: number;
  readonly total: number;
}

/** One run of the import. */
export interface Pass {
  readonly number: number;
  /** When it began, by which it judges what has expired. */
  readonly at: number;
  readonly context: Context;
  readonly keys: KeyRing;
  readonly legacyKeys: LegacyKeys;
  readonly source: Source;
  readonly plan: Plan;
  readonly findings: Findings;
  /** False where a table of an earlier pass cannot be read now: then nothing is ended. */
  readonly isComplete: boolean;
  /** Called after each batch. If it throws, the run stops there, as after a signal. */
  progress(progress: Progress): void;
}

/** Small enough that a service which runs beside it notices nothing. */
export const batchSize = 500;

export const isTrue = (value: string | null | undefined): boolean =>
  value !== null && value !== undefined && ['1', 't', 'true', 'y', 'yes'].includes(value.toLowerCase());

/** A person of the default table by number alone, others by their table as well. */
export const personOf = (source: string, id: string): string => (source === 'users' ? id : `${source}:${id}`);
