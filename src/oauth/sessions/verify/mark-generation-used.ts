import type { Context } from '../../../database/context.ts';
import type { SessionRow } from '../store/session-store.ts';
import { markUsed } from '../store/use-store.ts';
import type { AccessTokenClaims } from '../tokens/access-token.ts';
import { newestIsUsed } from '../tokens/refresh-grace.ts';

type Noted = Pick<SessionRow, 'generation' | 'used_generation' | 'rotated_at'>;

/**
 * Notes that the newest access token of a session is in somebody's hands. One write for each refresh: before the token is
 * acted on, so that a thief who used it cannot stay unseen. Who logs in has nothing older that could come back.
 */
export async function markGenerationUsed(
  { database, now }: Context,
  claims: AccessTokenClaims,
  session: Noted,
): Promise<void> {
  if (session.generation === 0 || newestIsUsed(session) || !isOfNewest(claims, session)) return;
  await markUsed(database, { id: claims.sid, generation: session.generation, now: now() });
}

/** Tokens of earlier versions do not name their generation; the time of the rotation tells it. */
const isOfNewest = ({ gen, iat }: AccessTokenClaims, { generation, rotated_at }: Noted): boolean =>
  gen === undefined ? iat >= Math.floor((rotated_at ?? 0) / 1000) : gen === generation;
