import { randomBytes } from 'node:crypto';
import { Problem } from '../../platform/errors.ts';
import { authenticateClient } from '../client-authentication.ts';
import type { ClientRequest } from '../client-request.ts';
import { unauthorizedClient } from '../clients/client-errors.ts';
import type { OAuth } from '../oauth.ts';
import { invalidRequest, type Parameters, readParameters, resourcesIn } from '../parameters.ts';
import { readAuthorizationParameters } from './authorization-parameters.ts';
import { readAuthorizationRequest, validateClient } from './authorization-request.ts';
import { insertPushedRequest } from './pushed-request-store.ts';
import { readRequestParameters, requestUriPrefix } from './resolve-parameters.ts';

/** FAPI 2.0 Security Profile 5.3.2.2: less than ten minutes. */
const lifeSeconds = 300;
const maxRequestLength = 50_000;
const ofAuthentication = ['client_secret', 'client_assertion', 'client_assertion_type'];

/** RFC 9126: the application sends the request to this endpoint. The browser sends only a reference to it. */
export async function handlePushedRequest(oauth: OAuth, request: ClientRequest) {
  const { context, clients, dpop } = oauth;
  const sent = readParameters(request.body);
  const client = await authenticateClient(oauth, request, sent);
  if (client.type !== 'application') throw unauthorizedClient(client);
  if (sent.has('request_uri')) throw invalidRequest('A pushed request must not contain request_uri.');
  const jkt = request.dpopRequest && (await dpop.atTokenEndpoint(request.dpopRequest));
  const query = queryOf(sent, client.id);
  if (query.length > maxRequestLength) throw invalidRequest('The request is too long.');
  try {
    const effective = await readRequestParameters(oauth, readAuthorizationParameters(query));
    const validated = await validateClient(clients, effective.parameters);
    if (validated.client.id !== client.id) throw invalidRequest('client_id belongs to another client.');
    readAuthorizationRequest(oauth, validated, { ...effective, pushedId: '', jkt });
  } catch (error) {
    throw error instanceof Problem && error.status === 400 ? invalidRequest(error.message) : error;
  }
  const now = context.now();
  const id = randomBytes(24).toString('base64url');
  const expires_at = now + lifeSeconds * 1000;
  const row = { id, client_id: client.id, parameters: query, jkt: jkt ?? null, created_at: now, expires_at };
  await insertPushedRequest(context.database.db, row);
  return { request_uri: requestUriPrefix + id, expires_in: lifeSeconds };
}

function queryOf(sent: Parameters, clientId: string): string {
  const query = new URLSearchParams({ client_id: clientId });
  for (const [name, value] of sent) {
    if (name === 'client_id' || name === 'resource' || ofAuthentication.includes(name)) continue;
    query.append(name, value);
  }
  for (const resource of resourcesIn(sent)) query.append('resource', resource);
  return query.toString();
}
