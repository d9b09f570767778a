import { commitAndInvalidate } from '../database/bus.ts';
import { OAuthError } from '../platform/errors.ts';
import { recordEvent } from '../resources/audit/record-event.ts';
import { authenticateClient, countPublicClient } from './client-authentication.ts';
import { introspectScope } from './clients/scopes/scopes.ts';
import { requireCredentials } from './clients/secrets/client-secrets.ts';
import type { ClientRequest, OAuth } from './oauth.ts';
import { readParameters, required } from './parameters.ts';
import { endSessions } from './sessions/end-sessions.ts';

/** RFC 7009 does not define the body. Some clients can read only JSON. */
const emptyResponse: Record<string, never> = Object.freeze({});

/**
 * RFC 7009, for the client of the token, and for clients with `tokens:introspect`. Either token ends the whole session. An invalid token
 * is not an error.
 */
export async function handleRevocation(oauth: OAuth, request: ClientRequest): Promise<Record<string, never>> {
  const { context, sessions, verifier } = oauth;
  const parameters = readParameters(request.body);
  const client = await authenticateClient(oauth, request, parameters);
  countPublicClient(client, request);
  const presented = await verifier.findToken(required(parameters, 'token'));
  if (!presented) return emptyResponse;
  const { session } = presented;
  const isOwn = session.client_id === client.id;
  // As in an introspection, a public client is not authenticated, so it can end only its own tokens.
  if (!isOwn && (client.public || !client.scopes.includes(introspectScope))) {
    throw new OAuthError('unauthorized_client', 'The token was issued to another client.');
  }
  await commitAndInvalidate(context.database, async (tx, invalidate) => {
    await requireCredentials(context, tx, client);
    const ended = await endSessions(sessions, tx, invalidate, { sessionId: session.id }, 'revoked');
    if (ended === 0) return;
    await recordEvent(context, tx, {
      type: 'token.revoked',
      userId: session.user_id,
      clientId: session.client_id,
      sessionId: session.id,
      source: request.source,
      ...(isOwn ? {} : { data: { by: client.id } }),
    });
  });
  return emptyResponse;
}
