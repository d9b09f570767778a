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
  /** The table name from the operator. Imported ids are stored under this name. */
  readonly source: string;
  /** The realm of its users here. */
  readonly realm: string;
}

export interface ImportSettings {
  readonly env: ReadonlyMap<string, string>;
  readonly envPath: string | undefined;
  readonly publicKeyPath: string | undefined;
  readonly users: string | undefined;
  readonly providers: ReadonlyMap<string, string>;
  readonly timezone: string | undefined;
  readonly prefix: string | undefined;
  readonly scopes: ScopeMap;
  readonly map: ImportMap;
  /** The operator's mappings: `model_type` to table, and role to role here. */
  readonly models: ReadonlyMap<string, string>;
  readonly roles: ReadonlyMap<string, string>;
  /** The guards whose roles are imported. Empty: the operator has not named any. */
  readonly guards: readonly string[];
  /** The condition for rows of model_has_roles, by column, if the table has more than three columns. */
  readonly rolesWhere: ReadonlyMap<string, string>;
  /** The conditions that disable a user here. */
  readonly disableWhere: readonly Condition[];
  /** Ignored columns: columns of users by name, others as TABLE.COLUMN. */
  readonly ignoredColumns: ReadonlySet<string>;
  /** The scopes that clients can request, by client id. `*` is for clients that are not named. */
  readonly clientScopes: ReadonlyMap<string, readonly string[]>;
  /** The new names of Socialite providers whose names differ. */
  readonly social: ReadonlyMap<string, string>;
  /** The operator confirms that many users are missing. */
  readonly confirmGone: boolean;
  /** In a plan, also true if a user table is missing: then the pass only lists the open decisions. */
  readonly dryRun: boolean;
}

/** The input of a pass: the options of the operator and the findings in the old service. */
export interface Plan extends ImportSettings {
  readonly layout: Layout;
  readonly clock: WallClock;
  readonly publicKey: KeyObject;
  readonly appKey: Buffer;
  readonly hashedIds: { readonly salt: string; readonly length: number | undefined };
  /** The name of the table of the clients. */
  readonly clientsTable: string;
  /** The users of clients without a provider. */
  readonly defaultUsers: UserTable;
  /** By the provider of the clients. The empty name is for clients without a provider. */
  readonly userTables: ReadonlyMap<string, UserTable>;
  /** Laravel's decryption keys: APP_KEY and the previous keys. */
  readonly decryptionKeys: readonly Buffer[];
  readonly publicKeyFrom: string;
}

export interface Progress {
  readonly table: string;
  readonly completed: number;
  readonly total: number;
}

/** One run of the import. */
export interface Pass {
  readonly number: number;
  /** The start of the pass. Expiry is checked against this time. */
  readonly at: number;
  readonly context: Context;
  readonly keys: KeyRing;
  readonly legacyKeys: LegacyKeys;
  readonly source: Source;
  readonly plan: Plan;
  readonly findings: Findings;
  /** False if a table of an earlier pass cannot be read now. Then nothing is ended. */
  readonly isComplete: boolean;
  /** Called after each batch. If it throws, the run stops there, as after a signal. */
  progress(progress: Progress): void;
}

/** A small batch, so that a running service is not slowed down. */
export const batchSize = 500;

export const isTrue = (value: string | null | undefined): boolean =>
  value !== null && value !== undefined && ['1', 't', 'true', 'y', 'yes'].includes(value.toLowerCase());

/** A user of the default table by id, users of other tables by table and id. */
export const legacyUserKey = (source: string, id: string): string => (source === 'users' ? id : `${source}:${id}`);
