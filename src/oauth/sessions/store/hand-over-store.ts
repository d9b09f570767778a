import type { Tx } from '../../../database/database.ts';
import type { SessionRow } from './session-store.ts';

/** The scopes that the person agreed to. */
export const findScopes = (tx: Tx, id: string): Promise<{ scopes: string } | undefined> =>
  tx.selectFrom('sessions').select('scopes').where('id', '=', id).executeTakeFirst();

interface HandOver {
  readonly id: string;
  readonly now: number;
  readonly expiresAt: number;
  readonly address: string | null;
  readonly userAgent: string | null;
}

/** Gives a session that waited for its device to the one that came for it. Undefined where it ended meanwhile. */
export const handOverSession = (
  tx: Tx,
  { id, now, expiresAt, address, userAgent }: HandOver,
): Promise<SessionRow | undefined> =>
  tx
    .updateTable('sessions')
    .set({ expires_at: expiresAt, address, user_agent: userAgent })
    .where('id', '=', id)
    .where('generation', '=', 0)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst();
