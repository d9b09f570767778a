import type { Generated } from 'kysely';
import type { RowsOf } from '../columns.ts';
import type { identityTables } from '../migrations/first-tables/identity-tables.ts';
import type { oauthTables } from '../migrations/first-tables/oauth-tables.ts';
import type { changeLogTables, serviceTables } from '../migrations/first-tables/service-tables.ts';
import type { signInTables } from '../migrations/first-tables/sign-in-tables.ts';

type First = RowsOf<typeof identityTables & typeof oauthTables & typeof signInTables>;
type Service = RowsOf<typeof serviceTables & typeof changeLogTables>;

/** `session_id`: the session that set up the factor. Null for an imported factor. */
type Factor<T> = T & { session_id: Generated<string | null> };

/** The tables of the service. Times are milliseconds since 1970, flags are 0 or 1, lists and objects are JSON text. */
export interface Tables extends Omit<First, 'passkeys' | 'authenticators'>, Service {
  passkeys: Factor<First['passkeys']>;
  authenticators: Factor<First['authenticators']>;
  migrations: { name: string; applied_at: number };
}
