import type { Context } from '../../src/database/context.ts';
import type { KeyRing } from '../../src/database/keys/key-ring.ts';
import { unauthorized } from '../../src/http/gate/unauthorized.ts';
import { Sessions } from '../../src/oauth/sessions/sessions.ts';
import type { LegacyTokens } from '../../src/oauth/sessions/tokens/access-token.ts';
import { TokenVerifier } from '../../src/oauth/sessions/verify/token-verifier.ts';

const noLegacyTokens: LegacyTokens = {
  readAccess: async () => undefined,
  readRefresh: async () => undefined,
  readScopes: async () => new Map(),
};

/** Sessions and their verifier without applications to notify, and without bound tokens. */
export const createSessions = (context: Context, keys: KeyRing, legacyTokens = noLegacyTokens) => ({
  sessions: new Sessions(context, keys, legacyTokens, async () => undefined),
  verifier: new TokenVerifier(context, keys, legacyTokens, async () => {
    throw unauthorized('token_malformed', 'bound tokens are not accepted here');
  }),
});
