import type { Context } from '../../database/context.ts';
import type { KeyRing } from '../../database/keys/key-ring.ts';
import { unauthorized } from '../../http/gate/unauthorized.ts';
import { type NotifyApplications, Sessions } from './sessions.ts';
import { noLegacyTokens } from './tokens/legacy-tokens.ts';
import { type ProvePossession, TokenVerifier } from './verify/token-verifier.ts';

const nobodyProves: ProvePossession = async () => {
  throw unauthorized('token_malformed', 'bound tokens are not taken here');
};
const notifyNobody: NotifyApplications = async () => undefined;

/** Both halves: sessions begin and end in one, and the other tells whose token it is. */
export const createSessions = (
  context: Context,
  keys: KeyRing,
  foreign = noLegacyTokens,
  notify = notifyNobody,
  possession = nobodyProves,
): { sessions: Sessions; verifier: TokenVerifier } => ({
  sessions: new Sessions(context, keys, foreign, notify),
  verifier: new TokenVerifier(context, keys, foreign, possession),
});
