import type { Selectable } from 'kysely';
import type { Db, Tx } from '../../../database/database.ts';
import type { Tables } from '../../../database/tables/tables.ts';
import type { SessionsOf } from './session-store.ts';

/** A user is signed in to an application until the user signs out here, or until the application has been notified of a logout. */
export type ApplicationLogin = Selectable<Tables['application_logins']>;

export async function insertLogin(tx: Db | Tx, login: ApplicationLogin): Promise<void> {
  await tx.insertInto('application_logins').values(login).execute();
}

/** Deletes and returns the logins that end with these sessions, including logins that a browser session started. */
export function deleteLogins(tx: Tx, of: SessionsOf): Promise<ApplicationLogin[]> {
  const taken = tx.deleteFrom('application_logins').returningAll();
  if ('sessionId' in of) {
    return taken
      .where((or) => or.or([or('session_id', '=', of.sessionId), or('login_id', '=', of.sessionId)]))
      .execute();
  }
  if (!('userId' in of)) return taken.where('client_id', '=', of.clientId).execute();
  if (of.type === 'personal') return Promise.resolve([]);
  const ofUser = taken.where('user_id', '=', of.userId).where('session_id', '!=', of.exceptSessionId ?? '');
  const clientId = 'clientId' in of ? of.clientId : undefined;
  return clientId === undefined ? ofUser.execute() : ofUser.where('client_id', '=', clientId).execute();
}

export const deleteAllLogins = (tx: Tx): Promise<ApplicationLogin[]> =>
  tx.deleteFrom('application_logins').returningAll().execute();

/** The logout addresses of these clients, if they have one. */
export async function clientsToNotify(tx: Tx, clientIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await tx
    .selectFrom('clients')
    .select(['id', 'backchannel_logout_uri as uri'])
    .where('id', 'in', clientIds)
    .where('backchannel_logout_uri', 'is not', null)
    .execute();
  return new Map(rows.map(({ id, uri }) => [id, uri as string]));
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
                .where((live) =>
                  live.or([
                    live('sessions.id', '=', live.ref('application_logins.session_id')),
                    live('sessions.id', '=', live.ref('application_logins.login_id')),
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
