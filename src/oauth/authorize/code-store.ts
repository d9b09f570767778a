import type { Selectable } from 'kysely';
import type { Context } from '../../database/context.ts';
import type { Db, Tx } from '../../database/database.ts';
import type { KeyRing } from '../../database/keys/key-ring.ts';
import { pruneBefore } from '../../database/prune-in-batches.ts';
import type { Tables } from '../../database/tables/tables.ts';
import { uuidv7 } from '../../database/uuid.ts';
import { type GrantDetails, storedDetails } from '../sessions/store/grant-details.ts';
import type { AuthorizationRequest } from './authorization-request.ts';

/** Long enough for the token request that follows. */
const lifetimeMs = 60_000;
/** Used codes are kept for this time, so that a second use is detected. */
const retentionMs = 24 * 3_600_000;

const purpose = 'authorization code';

/** Stores a code and makes its value, `<id>.<MAC>`: the stored id is useless without the server's key. */
export async function issueCode(
  { now }: Context,
  keys: KeyRing,
  tx: Tx,
  request: AuthorizationRequest,
  grant: {
    readonly userId: string;
    readonly loginId: string;
    readonly scopes: readonly string[];
    readonly details: GrantDetails;
  },
): Promise<string> {
  const at = now();
  const id = uuidv7(at);
  await insertCode(tx, {
    id,
    client_id: request.client.id,
    user_id: grant.userId,
    login_id: grant.loginId,
    redirect_uri: request.redirectUri,
    code_challenge: request.codeChallenge ?? null,
    asked: JSON.stringify(request.requestedScopes),
    scopes: JSON.stringify(grant.scopes),
    nonce: request.nonce ?? null,
    resource: request.resource.length > 0 ? JSON.stringify(request.resource) : null,
    details: storedDetails(grant.details),
    created_at: at,
    expires_at: at + lifetimeMs,
    used_at: null,
    session_id: null,
  });
  return `${id}.${keys.macKeys.mac(purpose, id)}`;
}

/** The id in a code. The MAC is checked first, so a forged code costs no query. */
export function readCode(keys: KeyRing, code: string): string | undefined {
  const [, id = '', mac = ''] = /^([0-9a-f-]{36})\.([\w-]{43})$/.exec(code) ?? [];
  return id && mac && keys.macKeys.matches(purpose, id, mac) ? id : undefined;
}

export const pruneCodes = ({ database, now }: Context): Promise<number> =>
  pruneBefore(database, 'authorization_codes', 'expires_at', now() - retentionMs);

export type CodeRow = Selectable<Tables['authorization_codes']>;

const insertCode = async (tx: Tx, row: CodeRow): Promise<void> =>
  void (await tx.insertInto('authorization_codes').values(row).execute());

export const findCode = (db: Db | Tx, id: string): Promise<CodeRow | undefined> =>
  db.selectFrom('authorization_codes').selectAll().where('id', '=', id).executeTakeFirst();

/** Marks a code as used. Only one request finds it unused. */
export const consumeCode = (tx: Tx, id: string, now: number): Promise<CodeRow | undefined> =>
  tx
    .updateTable('authorization_codes')
    .set({ used_at: now })
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .returningAll()
    .executeTakeFirst();

/** Notes the session that a used code opened. A second use of the code ends this session. */
export async function setSessionOfCode(tx: Tx, id: string, sessionId: string): Promise<void> {
  await tx.updateTable('authorization_codes').set({ session_id: sessionId }).where('id', '=', id).execute();
}

export async function deleteUnusedCodes(
  tx: Tx,
  { userId, clientId }: { readonly userId: string; readonly clientId: string },
): Promise<void> {
  await tx
    .deleteFrom('authorization_codes')
    .where('user_id', '=', userId)
    .where('client_id', '=', clientId)
    .where('used_at', 'is', null)
    .execute();
}
