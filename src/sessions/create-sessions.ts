import type { Context } from '../context.ts';
import type { KeyRing } from '../crypto/key-ring.ts';
import type { TellApplications } from './end-sessions.ts';
import { noForeignTokens } from './foreign-tokens.ts';
import { Sessions } from './sessions.ts';
import { TokenVerifier } from './token-verifier.ts';

const tellNobody: TellApplications = async () => undefined;

/** Both halves: sessions begin and end in one, and the other tells whose token it is. */
export const createSessions = (
  context: Context,
  keys: KeyRing,
  foreign = noForeignTokens,
  tell = tellNobody,
): { sessions: Sessions; verifier: TokenVerifier } => ({
  sessions: new Sessions(context, keys, foreign, tell),
  verifier: new TokenVerifier(context, keys, foreign),
});
