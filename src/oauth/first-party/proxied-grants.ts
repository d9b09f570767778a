import type { Config, ProxiedClient } from '../../config/config.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { invalidClient } from '../clients/client-errors.ts';
import type { StoredClient } from '../clients/client-store.ts';
import type { Grant } from '../grant.ts';
import { emailCodeGrant } from '../grants/email-code.ts';
import { mfaGrant } from '../grants/mfa.ts';
import { passkeyGrant } from '../grants/passkey.ts';
import { passwordGrant } from '../grants/password.ts';
import { refreshTokenGrant } from '../grants/refresh-token.ts';
import type { OAuth } from '../oauth.ts';
import { invalidRequest, type Parameters, readParameters } from '../parameters.ts';
import { issueTokens } from '../token-endpoint.ts';

interface ProxyRequest {
  readonly proxied: ProxiedClient;
  readonly body: unknown;
  readonly source: RequestSource;
  /** Counts the request against the RATE_LIMIT of the user who signs in. */
  readonly countRequest?: ((caller: string) => void) | undefined;
}

interface ProxyRefreshRequest extends ProxyRequest {
  readonly cookie: () => string | undefined;
  /** The names of the query parameters. Secrets are rejected there, because addresses are logged. */
  readonly query: ReadonlySet<string>;
}

/** The grants without a password, by their member of the body. `mfa` is first, because its body may contain a passkey too. */
const passwordlessGrants: readonly (readonly [string, Grant])[] = [
  ['mfa_token', mfaGrant],
  ['passkey', passkeyGrant],
  ['email_code', emailCodeGrant],
];

/** Runs the password grant, or another sign-in grant, with the client of the proxy. */
export async function handleProxyLogin(oauth: OAuth, { proxied, body, source, countRequest }: ProxyRequest) {
  const bodyParameters = readParameters(body);
  const request = { client: await clientOf(oauth, proxied), parameters: bodyParameters, source, countRequest };
  for (const [member, grant] of passwordlessGrants)
    if (bodyParameters.has(member)) return issueTokens(oauth, grant, request);
  const parameters = new Map(bodyParameters).set('username', identifierIn(bodyParameters, oauth.context.config));
  return issueTokens(oauth, passwordGrant, { ...request, parameters });
}

/** Runs the refresh grant with the client of the proxy. `cookie` is used if the body contains no token. */
export async function handleProxyRefresh(
  oauth: OAuth,
  { proxied, body, source, countRequest, cookie, query }: ProxyRefreshRequest,
) {
  const parameters = new Map(readParameters(body));
  if (!parameters.has('refresh_token')) {
    const fromCookie = cookie();
    if (!fromCookie && query.has('refresh_token')) {
      throw invalidRequest("The parameter 'refresh_token' belongs in the body of the request, not in its address.");
    }
    if (!fromCookie) throw invalidRequest("The parameter 'refresh_token' is missing, and so is the cookie.");
    parameters.set('refresh_token', fromCookie);
  }
  const client = await clientOf(oauth, proxied);
  return issueTokens(oauth, refreshTokenGrant, { client, parameters, source, countRequest });
}

/** `username` works for every login attribute. `email`, `username` and `phone` work if they are enabled. */
function identifierIn(parameters: Parameters, { loginAttributes }: Config): string {
  const names = [...new Set(['username', ...loginAttributes])];
  const identifiers = names.filter((name) => parameters.has(name));
  const [name] = identifiers;
  if (name === undefined) throw invalidRequest(`The identifier is missing: send one of ${names.join(', ')}.`);
  if (identifiers.length > 1) throw invalidRequest(`Send one identifier, not ${identifiers.join(' and ')}.`);
  return parameters.get(name) as string;
}

/** The settings name the client, so its secret is not checked. An instance with an old secret keeps working. */
async function clientOf({ clients }: OAuth, { id }: ProxiedClient): Promise<StoredClient> {
  const client = await clients.find(id);
  if (client?.type === 'password') return client;
  // No Basic challenge: a browser would ask its user for a password.
  throw invalidClient(`proxied client ${id} was deleted`, {});
}
