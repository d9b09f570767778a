import type { Context } from '../../../database/context.ts';
import type { Database, Tx } from '../../../database/database.ts';
import { type RequestSource, systemSource } from '../../../http/request-source.ts';
import type { Sessions } from '../sessions.ts';
import { markRevealed } from '../store/session-store.ts';
import { renewPersonalToken } from '../tokens/personal-token.ts';

interface NewPersonalToken {
  readonly userId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expiresAt?: number | undefined;
  /** True if the response that creates the token shows its value. */
  readonly revealed?: boolean;
  readonly source?: RequestSource;
}

/** Creates a personal access token, without a client. Its value is made when the owner reveals it. */
export async function issuePersonalToken(executor: Database | Tx, sessions: Sessions, token: NewPersonalToken) {
  const { session, durable } = sessions.open(executor, {
    ...token,
    type: 'personal',
    source: token.source ?? systemSource,
  });
  await durable;
  return session;
}

/** The value of a token, the first time its owner asks. Undefined at later calls and for other users. */
export async function revealPersonalToken({ now }: Context, tx: Tx, { id, userId }: { id: string; userId: string }) {
  const session = await markRevealed(tx, id, userId, now());
  return session && { session, accessToken: await renewPersonalToken(tx, session.id) };
}
