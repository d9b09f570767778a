import { randomBytes } from 'node:crypto';
import { Problem } from '../../platform/errors.ts';
import { authenticateClient } from '../client-authentication.ts';
import { unauthorizedClient } from '../clients/client-rules.ts';
import type { ClientRequest, OAuth } from '../oauth.ts';
import { invalidRequest, type Parameters, readParameters, resourcesIn } from '../parameters.ts';
import { readAuthorizationParameters } from './authorization-parameters.ts';
import { readAuthorizationRequest, validateClient } from './authorization-request.ts';
import { insertPushedRequest } from './pushed-request-store.ts';
import { readRequestParameters, requestUriPrefix } from './resolve-parameters.ts';

/** FAPI 2.0 Security Profile 5.3.2.2: less than ten minutes. */
const lifetimeSeconds = 300;
const maxRequestLength = 50_000;
const authenticationParameters = ['client_secret', 'client_assertion', 'client_assertion_type'];

/** RFC 9126: the application sends the request to this endpoint. The browser sends only a reference to it. */
export async function handlePushedRequest(oauth: OAuth, request: ClientRequest) {
  const { context, clients, dpop } = oauth;
  const parameters = readParameters(request.body);
  const client = await authenticateClient(oauth, request, parameters);
  if (client.type !== 'application') throw unauthorizedClient(client);
  if (parameters.has('request_uri')) throw invalidRequest('A pushed request must not contain request_uri.');
  const jkt = request.dpopRequest && (await dpop.atTokenEndpoint(request.dpopRequest, client));
  const query = queryOf(parameters, client.id);
  if (query.length > maxRequestLength) throw invalidRequest('The request is too long.');
  try {
    const resolved = await readRequestParameters(oauth, readAuthorizationParameters(query));
    const validated = await validateClient(clients, resolved.parameters);
    if (validated.client.id !== client.id) throw invalidRequest('client_id belongs to another client.');
    readAuthorizationRequest(oauth, validated, { ...resolved, pushedId: '', jkt });
  } catch (error) {
    throw error instanceof Problem && error.status === 400 ? invalidRequest(error.message) : error;
  }
  const now = context.now();
  const id = randomBytes(24).toString('base64url');
  const expires_at = now + lifetimeSeconds * 1000;
  const row = { id, client_id: client.id, parameters: query, jkt: jkt ?? null, created_at: now, expires_at };
  await insertPushedRequest(context.database.db, row);
  return { request_uri: requestUriPrefix + id, expires_in: lifetimeSeconds };
}

function queryOf(parameters: Parameters, clientId: string): string {
  const query = new URLSearchParams({ client_id: clientId });
  for (const [name, value] of parameters) {
    if (name === 'client_id' || name === 'resource' || authenticationParameters.includes(name)) continue;
    query.append(name, value);
  }
  for (const resource of resourcesIn(parameters)) query.append('resource', resource);
  return query.toString();
}
