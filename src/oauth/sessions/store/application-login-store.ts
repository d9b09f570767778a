import type { NotNull, Selectable } from 'kysely';
import type { Db, Tx } from '../../../database/database.ts';
import type { Tables } from '../../../database/tables/tables.ts';
import type { SessionFilter } from './session-store.ts';

/** A user is signed in to an application until the user signs out here, or until the application has been notified of a logout. */
export type ApplicationLogin = Selectable<Tables['application_logins']>;

export async function insertLogin(tx: Db | Tx, login: ApplicationLogin): Promise<void> {
  await tx.insertInto('application_logins').values(login).execute();
}

/** Deletes and returns the logins that end with these sessions, including logins that a browser session started. */
export function deleteLogins(tx: Tx, filter: SessionFilter): Promise<ApplicationLogin[]> {
  const deletion = tx.deleteFrom('application_logins').returningAll();
  if ('sessionId' in filter) {
    return deletion
      .where((eb) => eb.or([eb('session_id', '=', filter.sessionId), eb('login_id', '=', filter.sessionId)]))
      .execute();
  }
  if (!('userId' in filter)) return deletion.where('client_id', '=', filter.clientId).execute();
  if (filter.type === 'personal') return Promise.resolve([]);
  const deletionOfUser = deletion
    .where('user_id', '=', filter.userId)
    .where('session_id', '!=', filter.exceptSessionId ?? '');
  const clientId = 'clientId' in filter ? filter.clientId : undefined;
  return clientId === undefined ? deletionOfUser.execute() : deletionOfUser.where('client_id', '=', clientId).execute();
}

export const deleteAllLogins = (tx: Tx): Promise<ApplicationLogin[]> =>
  tx.deleteFrom('application_logins').returningAll().execute();

/** The logout addresses of these clients, if they have one. */
export async function findBackchannelLogoutUris(tx: Tx, clientIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await tx
    .selectFrom('clients')
    .select(['id', 'backchannel_logout_uri as uri'])
    .where('id', 'in', clientIds)
    .where('backchannel_logout_uri', 'is not', null)
    .$narrowType<{ uri: NotNull }>()
    .execute();
  return new Map(rows.map(({ id, uri }) => [id, uri]));
}

/** Removes up to `limit` logins whose application session and browser session are both gone. */
export async function deleteOrphanedLogins(db: Db, before: number, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('application_logins')
    .where('session_id', 'in', (from) =>
      from
        .selectFrom('application_logins')
        .select('session_id')
        .where('created_at', '<', before)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('sessions')
                .select('sessions.id')
                .where((eb) =>
                  eb.or([
                    eb('sessions.id', '=', eb.ref('application_logins.session_id')),
                    eb('sessions.id', '=', eb.ref('application_logins.login_id')),
                  ]),
                ),
            ),
          ),
        )
        .limit(limit),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
