import { commitAndInvalidate } from '../../../src/database/bus.ts';
import type { RequestSource } from '../../../src/http/request-source.ts';
import { consumeOnce } from '../../../src/identity/factors/spent-value-store.ts';
import type { OAuth } from '../../../src/oauth/oauth.ts';
import { endSessions } from '../../../src/oauth/sessions/end-sessions.ts';
import { OAuthError } from '../../../src/platform/errors.ts';
import { recordEvent } from '../../../src/resources/audit/record-event.ts';
import type { ProviderClient } from '../client/provider-client.ts';
import { isPrintable } from '../client/upstream.ts';
import { findIdentity, sessionsOfIdentity, sessionsOfUpstreamSession } from './identity-store.ts';

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';
const rememberedMs = 10 * 60_000;

const refused = (reason: string) => new OAuthError('invalid_request', 'The logout token is not valid.', { reason });

/** OpenID Connect Back-Channel Logout 2.5 and 2.6: a provider notifies us of a logout. */
export async function logOutByProvider(
  { context, sessions }: Pick<OAuth, 'context' | 'sessions'>,
  provider: ProviderClient,
  { token, source }: { token: string; source: RequestSource },
): Promise<void> {
  const claims = await provider.readLogoutToken(token).catch((error: Error) => {
    throw refused(error.message);
  });
  const { iss, sub, sid, jti, events, nonce } = claims;
  const isLogout = typeof events === 'object' && events !== null && logoutEvent in events;
  if (!isLogout || nonce !== undefined || !isPrintable(jti) || typeof iss !== 'string') throw refused('no logout');
  const subject = isPrintable(sub) ? sub : undefined;
  const session = isPrintable(sid) ? sid : undefined;
  if (subject === undefined && session === undefined) throw refused('it names nobody');
  const { database, now } = context;
  await commitAndInvalidate(database, async (tx, invalidate) => {
    if (!(await consumeOnce(tx, `upstream-logout:${iss}:${jti}`, now() + rememberedMs))) throw refused('used before');
    const identity = subject === undefined ? undefined : await findIdentity(tx, { issuer: iss, subject });
    if (subject !== undefined && !identity) return;
    const ids = identity
      ? await sessionsOfIdentity(tx, identity.id, session ?? null)
      : await sessionsOfUpstreamSession(tx, iss, session ?? '');
    for (const sessionId of ids.sort()) await endSessions(sessions, tx, invalidate, { sessionId }, 'provider_logout');
    const data = { provider: provider.definition.name, sessions: ids.length };
    await recordEvent(context, tx, { type: 'identity.logged_out', userId: identity?.user_id, source, data });
  });
}
