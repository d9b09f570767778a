import { randomBytes } from 'node:crypto';
import type { Context } from '../../database/context.ts';
import { networkLimits, requireWithinLimits } from '../../identity/throttle/throttle.ts';
import { Problem } from '../../platform/errors.ts';
import { authenticateClient, countPublicClient } from '../client-authentication.ts';
import { unauthorizedClient } from '../clients/client-rules.ts';
import type { StoredClient } from '../clients/client-store.ts';
import type { ClientRequest, OAuth } from '../oauth.ts';
import { invalidRequest, type Parameters, readParameters, resourcesIn } from '../parameters.ts';
import { type AuthorizationParameters, readAuthorizationParameters } from './authorization-parameters.ts';
import { readAuthorizationRequest, validateClient } from './authorization-request.ts';
import { insertPushedRequest, signInTimeoutMs } from './pushed-request-store.ts';
import { readRequestParameters, requestUriPrefix } from './resolve-parameters.ts';

/** FAPI 2.0 Security Profile 5.3.2.2: less than ten minutes. */
const lifetimeSeconds = 300;
const maxRequestLength = 50_000;
const maxOpenRequestLength = 10_000;
/** Requests that the confidential clients of one owner push in an hour. */
const maxPerOwner = 50_000;
/** Requests that open clients push in an hour. */
const maxOpenPerNetwork = 600;
const maxOpenInTotal = 50_000;
const authenticationParameters = ['client_secret', 'client_assertion', 'client_assertion_type'];

/** RFC 9126: the application sends the request to this endpoint. The browser sends only a reference to it. */
export async function handlePushedRequest(oauth: OAuth, request: ClientRequest) {
  const { context, dpop } = oauth;
  const parameters = readParameters(request.body);
  const client = await authenticateClient(oauth, request, parameters);
  if (client.type !== 'application') throw unauthorizedClient(client);
  countPublicClient(client, request);
  await countPushedRequest(context, client, request);
  if (parameters.has('request_uri')) throw invalidRequest('A pushed request must not contain request_uri.');
  const jkt = request.dpopRequest && (await dpop.atTokenEndpoint(request.dpopRequest, client));
  const pushed = queryOf(parameters, client.id);
  if (pushed.length > (isOpen(client) ? maxOpenRequestLength : maxRequestLength))
    throw invalidRequest('The request is too long.');
  const resolved = await acceptRequest(oauth, client, pushed, jkt).catch(asInvalidRequest);
  const now = context.now();
  const row = {
    ...{ id: randomBytes(24).toString('base64url'), client_id: client.id, jkt: jkt ?? null },
    ...{ parameters: toQuery(resolved.parameters), signed: resolved.signed ? 1 : 0 },
    ...{ created_at: now, expires_at: now + lifetimeSeconds * 1000 },
  };
  await insertPushedRequest(context.database.db, row);
  return { request_uri: requestUriPrefix + row.id, expires_in: lifetimeSeconds };
}

async function acceptRequest(oauth: OAuth, client: StoredClient, pushed: string, jkt: string | undefined) {
  const resolved = await readRequestParameters(oauth, readAuthorizationParameters(pushed));
  const validated = await validateClient(oauth.clients, resolved.parameters);
  if (validated.client.id !== client.id) throw invalidRequest('client_id belongs to another client.');
  readAuthorizationRequest(oauth, validated, { ...resolved, pushedId: '', jkt });
  return resolved;
}

function asInvalidRequest(error: unknown): never {
  throw error instanceof Problem && error.status === 400 ? invalidRequest(error.message) : error;
}

/** Anybody can push requests through such a client: it is public, or it registered itself. */
const isOpen = (client: StoredClient): boolean => client.public || client.registration !== null;

/** Limits the stored requests. Each is deleted about an hour after it expires. */
async function countPushedRequest(context: Context, client: StoredClient, { source }: ClientRequest): Promise<void> {
  const limits = isOpen(client)
    ? [...networkLimits('par', source.address, maxOpenPerNetwork), { key: 'par:all', max: maxOpenInTotal, of: 'all' }]
    : [{ key: `par:owner:${client.userId ?? client.id}`, max: maxPerOwner, of: 'client' }];
  await requireWithinLimits(context, limits, 'Too many requests were pushed. Try again later.', signInTimeoutMs);
}

/** The parameters as they were accepted. The claims of a signed request are not verified again. */
const toQuery = (parameters: AuthorizationParameters): string =>
  new URLSearchParams([...parameters].flatMap(([name, values]) => values.map((value) => [name, value]))).toString();

function queryOf(parameters: Parameters, clientId: string): string {
  const query = new URLSearchParams({ client_id: clientId });
  for (const [name, value] of parameters) {
    if (name === 'client_id' || name === 'resource' || authenticationParameters.includes(name)) continue;
    query.append(name, value);
  }
  for (const resource of resourcesIn(parameters)) query.append('resource', resource);
  return query.toString();
}
