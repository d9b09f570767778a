import { badRequest } from '../../platform/errors.ts';
import type { StoredClient } from '../clients/client-store.ts';
import { translateScope } from '../clients/scopes/requested-scopes.ts';
import type { OAuth } from '../oauth.ts';
import { readJws } from '../proofs/client-jws.ts';
import { type AuthorizationParameters, readAuthorizationParameters, singleValue } from './authorization-parameters.ts';
import { findPushedRequest, signInTimeoutMs } from './pushed-request-store.ts';

export const requestUriPrefix = 'urn:ietf:params:oauth:request_uri:';

/** The parameters of an authorization request: from the query, from a request object, or pushed. */
export interface ResolvedParameters {
  readonly parameters: AuthorizationParameters;
  /** The id of the pushed request (RFC 9126). Undefined: the browser sent the parameters. */
  readonly pushedId?: string | undefined;
  /** The application signed them (RFC 9101). */
  readonly signed: boolean;
  /** The key of the application's DPoP proof when it pushed the request (RFC 9449 10.1). */
  readonly jkt?: string | undefined;
}

type ParameterServices = Pick<OAuth, 'context' | 'clients' | 'clientKeys' | 'scopes' | 'legacyScopes'>;

/** `isAccepted`: the request was accepted before, and the user comes back with it. It may have expired since then. */
export async function resolveParameters(
  oauth: ParameterServices,
  parameters: AuthorizationParameters,
  { isAccepted = false } = {},
): Promise<ResolvedParameters> {
  const uri = singleValue(parameters, 'request_uri');
  // PostgreSQL cannot look it up. `readAuthorizationRequest` rejects it in all other parameters.
  if (`${singleValue(parameters, 'client_id')}${uri}`.includes('\0'))
    throw badRequest(
      'The application that sent you here made a mistake: client_id or request_uri contains a NUL character.',
    );
  if (uri?.startsWith(requestUriPrefix))
    return readPushedRequest(oauth, parameters, uri.slice(requestUriPrefix.length), isAccepted);
  return readRequestParameters(oauth, parameters, { isAccepted });
}

async function readPushedRequest(
  { context: { database, now } }: ParameterServices,
  queryParameters: AuthorizationParameters,
  id: string,
  isAccepted: boolean,
) {
  const row = await findPushedRequest(database.db, id);
  const isExpired = row && (isAccepted ? row.created_at + signInTimeoutMs : row.expires_at) <= now();
  if (!row || isExpired || row.client_id !== singleValue(queryParameters, 'client_id')) {
    throw badRequest(
      'The request of the application has expired or was already used. Go back to the application and start again.',
    );
  }
  const parameters = readAuthorizationParameters(row.parameters);
  return { parameters, signed: row.signed === 1, pushedId: id, jkt: row.jkt ?? undefined };
}

/** RFC 9101: if there is a request object, its claims are the request. Other parameters are ignored. */
export async function readRequestParameters(
  oauth: ParameterServices,
  parameters: AuthorizationParameters,
  { isAccepted = false } = {},
) {
  const object = singleValue(parameters, 'request');
  const client =
    object === undefined ? undefined : await oauth.clients.find(singleValue(parameters, 'client_id') ?? '');
  // Without keys of the client, the object cannot be checked. The request is later refused as unsupported.
  if (object === undefined || !client || !oauth.clientKeys.has(client)) {
    return { parameters: await translateLegacyScopes(oauth, parameters), signed: false };
  }
  return { parameters: await readRequestObject(oauth, client, object, isAccepted), signed: true };
}

/** Applications of an imported service still request the scopes of that service. */
async function translateLegacyScopes(oauth: ParameterServices, parameters: AuthorizationParameters) {
  const requested = singleValue(parameters, 'scope');
  const scope = requested === undefined ? undefined : await translateScope(oauth, requested);
  return scope === undefined || scope === requested ? parameters : new Map(parameters).set('scope', [scope]);
}

const invalidRequestObject = (reason: string) =>
  badRequest(`The application that sent you here made a mistake: its signed request is not valid (${reason}).`);

async function readRequestObject(
  { context, clientKeys }: ParameterServices,
  client: StoredClient,
  object: string,
  isAccepted: boolean,
) {
  const jws = readJws(object);
  if (!jws || !(await clientKeys.isSigned(client, jws))) throw invalidRequestObject('signature');
  const { iss, aud, exp, nbf, iat: _iat, jti: _jti, ...claims } = jws.claims;
  const now = context.now() / 1000;
  if (iss !== client.id || claims.client_id !== client.id) throw invalidRequestObject('iss and client_id');
  if (![aud].flat().includes(context.config.baseUrl)) throw invalidRequestObject('aud');
  if (exp !== undefined && !isAccepted && !(Number(exp) > now - 60)) throw invalidRequestObject('exp');
  if (nbf !== undefined && !(Number(nbf) < now + 60)) throw invalidRequestObject('nbf');
  const parameters = new Map<string, readonly string[]>();
  for (const [name, value] of Object.entries(claims)) {
    if (name === 'request' || name === 'request_uri') throw invalidRequestObject(name);
    const values = (Array.isArray(value) && name === 'resource' ? value : [value]).map((item) =>
      typeof item === 'string' ? item : JSON.stringify(item),
    );
    parameters.set(name, values);
  }
  return parameters;
}
