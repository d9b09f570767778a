import { commitAndInvalidate } from '../../src/database/bus.ts';
import type { RequestSource } from '../../src/http/request-source.ts';
import type { OAuth } from '../../src/oauth/oauth.ts';
import { readIdTokenHint } from '../../src/oauth/openid/id-token.ts';
import { endSessions } from '../../src/oauth/sessions/end-sessions.ts';
import { badRequest } from '../../src/platform/errors.ts';
import { recordEvent } from '../../src/resources/audit/record-event.ts';

/** The parameters of OpenID Connect RP-Initiated Logout 2. Other parameters are ignored. */
export const logoutParameters = ['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state'] as const;
export type LogoutParameters = Readonly<Partial<Record<(typeof logoutParameters)[number], string | undefined>>>;

export type LogoutRequest = Awaited<ReturnType<typeof readLogoutRequest>>;

/** The login that an ID token names. */
type Hint = NonNullable<Awaited<ReturnType<typeof readIdTokenHint>>>;

/**
 * Validates a logout request. Errors are shown on a page, without a redirect. Without a `hint`, an ID token that this
 * service signed, the user is asked. Without `returnTo`, there is no redirect after the logout.
 */
export async function readLogoutRequest(oauth: OAuth, parameters: LogoutParameters) {
  const { id_token_hint, client_id, post_logout_redirect_uri: uri, state } = parameters;
  const hint = id_token_hint ? await readIdTokenHint(oauth, id_token_hint) : undefined;
  if (hint && client_id && hint.clientId !== client_id) {
    throw badRequest('The request names a different application from the one that you signed in to.');
  }
  const clientId = hint?.clientId ?? client_id;
  const client = clientId ? await oauth.clients.find(clientId) : undefined;
  if (clientId && !hint && !client) throw badRequest('This application does not exist.');
  // Anybody can make an invalid hint. Then the user is asked, and there is no redirect.
  const isInvalidHint = Boolean(id_token_hint) && !hint;
  if (!uri || !client || isInvalidHint) return { hint, client, returnTo: undefined };
  if (!client.post_logout_redirect_uris.includes(uri)) {
    throw badRequest('The application wants to send you to an address that it has not registered.');
  }
  const query = state ? `${uri.includes('?') ? '&' : '?'}state=${encodeURIComponent(state)}` : '';
  return { hint, client, returnTo: uri + query };
}

/** Ends the application's session that the ID token names, even one with offline access, because the application requests it. */
export async function endHintedSession({ context, sessions }: OAuth, hint: Hint, source: RequestSource): Promise<void> {
  await commitAndInvalidate(context.database, async (tx, invalidate) => {
    const ended = await endSessions(sessions, tx, invalidate, { sessionId: hint.sessionId }, 'logout');
    if (ended > 0) await recordEvent(context, tx, { type: 'logout', ...hint, source });
  });
}
