import type { Context } from '../../../database/context.ts';
import type { Database, Tx } from '../../../database/database.ts';
import { type RequestSource, systemSource } from '../../../http/request-source.ts';
import type { Sessions } from '../sessions.ts';
import { markRevealed, type SessionRow } from '../store/session-store.ts';
import { renewPersonalToken } from '../tokens/personal-token.ts';

interface NewPersonalToken {
  readonly userId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expiresAt?: number | undefined;
  /** True where the answer that makes it also shows its value. */
  readonly revealed?: boolean;
  readonly source?: RequestSource;
}

/** A token of a user's own, with no client in between. Nobody knows its value until it is revealed. */
export async function issuePersonalToken(
  on: Database | Tx,
  sessions: Sessions,
  token: NewPersonalToken,
): Promise<SessionRow> {
  const { session, durable } = sessions.open(on, { ...token, type: 'personal', source: token.source ?? systemSource });
  await durable;
  return session;
}

/** The value, the first time its owner asks; undefined ever after, and to anybody else. */
export async function revealPersonalToken(
  { now }: Context,
  tx: Tx,
  { id, userId }: { id: string; userId: string },
): Promise<{ session: SessionRow; accessToken: string } | undefined> {
  const session = await markRevealed(tx, id, userId, now());
  return session && { session, accessToken: await renewPersonalToken(tx, session.id) };
}
