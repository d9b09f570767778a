import { isUnstorableText } from '../http/bodies/form-body.ts';
import { networkOf } from '../http/network-of.ts';
import { isOneOf } from '../platform/is-one-of.ts';
import { invalidClient } from './clients/client-rules.ts';
import type { StoredClient } from './clients/client-store.ts';
import type { AuthenticatedClient } from './clients/secrets/client-secrets.ts';
import type { ClientRequest, OAuth } from './oauth.ts';
import { invalidRequest, type Parameters } from './parameters.ts';
import { readJws } from './proofs/client-jws.ts';
import { consumeProof } from './proofs/used-proof-store.ts';

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
/** The longest lifetime of an assertion, in seconds. */
const maxLifetimeSeconds = 3600;
const clockToleranceSeconds = 60;

/** RFC 7523 3: finds the client that signed the assertion of a request. An assertion works once, across all instances. */
async function authenticateByAssertion(oauth: AssertionServices, parameters: Parameters): Promise<StoredClient> {
  const { context, clients, clientKeys } = oauth;
  const jws = readJws(parameters.get('client_assertion') ?? '');
  if (!jws || parameters.get('client_assertion_type') !== assertionType) throw invalidClient('no client assertion');
  const { iss, sub, aud, exp, nbf, jti } = jws.claims;
  const id = parameters.get('client_id') ?? sub;
  if (typeof sub !== 'string' || iss !== sub || id !== sub) throw invalidClient('iss, sub and client_id differ');
  const now = context.now() / 1000;
  if (!isForThisServer(context.config.baseUrl, aud)) throw invalidClient('the assertion is for another server');
  if (typeof exp !== 'number' || exp < now - clockToleranceSeconds || exp > now + maxLifetimeSeconds) {
    throw invalidClient('the assertion has expired, or lives too long');
  }
  if (nbf !== undefined && (typeof nbf !== 'number' || nbf > now + clockToleranceSeconds)) {
    throw invalidClient('the assertion is not valid yet');
  }
  if (typeof jti !== 'string') throw invalidClient('the assertion has no jti');
  const client = await clients.find(sub);
  if (client?.token_endpoint_auth_method !== 'private_key_jwt') throw invalidClient('no client with keys');
  if (!(await clientKeys.isSigned(client, jws))) throw invalidClient('no key of the client signed the assertion');
  // `exp` can have fractions (RFC 7519 2). The column stores integers.
  const expiresAt = Math.ceil((exp + clockToleranceSeconds) * 1000);
  if (!(await consumeProof(context.database.db, `assertion\n${sub}\n${jti}`, expiresAt))) {
    throw invalidClient('the assertion was used before');
  }
  return client;
}

type AssertionServices = Pick<OAuth, 'context' | 'clients' | 'clientKeys'>;

/** FAPI 2.0 requires the issuer as the only audience. Older libraries name the endpoint that they call. */
function isForThisServer(baseUrl: string, aud: unknown): boolean {
  const acceptedAudiences = [
    baseUrl,
    `${baseUrl}/`,
    ...['token', 'par', 'introspect', 'revoke'].map((name) => `${baseUrl}/oauth/${name}`),
  ];
  return [aud].flat().some((audience) => isOneOf(acceptedAudiences, audience));
}

/** Authenticates by HTTP Basic or by parameters, never by both. A public client sends only its id. */
export async function authenticateClient(
  oauth: Pick<OAuth, 'context' | 'clients' | 'clientKeys' | 'recordFailedClient'>,
  { authorization, source, countRequest, onAuthenticated }: Omit<ClientRequest, 'body'>,
  parameters: Parameters,
): Promise<AuthenticatedClient> {
  const { clients } = oauth;
  if (parameters.has('client_assertion')) {
    if (authorization !== undefined && /^basic /i.test(authorization)) throw authenticatedTwice();
    if (parameters.has('client_secret')) throw authenticatedTwice();
    const client = await authenticateByAssertion(oauth, parameters);
    onAuthenticated?.(client);
    countRequest?.(client.id);
    return client;
  }
  // Only Basic is client authentication. Some HTTP clients add a Bearer header to every request.
  const usesBasic = authorization !== undefined && /^basic(\s|$)/i.test(authorization);
  const id = parameters.get('client_id');
  const secret = parameters.get('client_secret');
  if (usesBasic && secret !== undefined) throw authenticatedTwice();
  const attempts = usesBasic ? readBasic(authorization) : [{ id, secret }];
  for (const attempt of attempts) {
    if (attempt.id === undefined) continue;
    if (usesBasic && id !== undefined && id !== attempt.id) continue;
    const client = await clients.authenticate(attempt.id, attempt.secret);
    if (!client) continue;
    onAuthenticated?.(client);
    if (!client.public) countRequest?.(client.id);
    return client;
  }
  await oauth.recordFailedClient(attempts[0]?.id ?? id, source);
  throw invalidClient(attempts.length === 0 ? 'no Basic credentials' : `client ${attempts[0]?.id ?? 'missing'}`);
}

const authenticatedTwice = () =>
  invalidRequest('The client authenticated twice: use the Authorization header, client_secret or client_assertion.');

/** Counts a public client by its network. A confidential client was counted when it authenticated. */
export function countPublicClient(
  client: Pick<StoredClient, 'public'>,
  { source, countRequest }: Pick<ClientRequest, 'source' | 'countRequest'>,
): void {
  if (client.public) countRequest?.(networkOf(source.address ?? ''));
}

/** RFC 6749 2.3.1: id and secret are form-encoded. Many clients do not encode them, so both forms are tried. */
function readBasic(authorization: string): { id: string; secret: string }[] {
  const encoded = /^basic +([A-Za-z0-9+/_-]+=*) *$/i.exec(authorization)?.[1];
  if (!encoded) return [];
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  if (colon < 0) return [];
  const plain = { id: text.slice(0, colon), secret: text.slice(colon + 1) };
  const decoded = { id: formDecode(plain.id), secret: formDecode(plain.secret) };
  const candidates = decoded.id === plain.id && decoded.secret === plain.secret ? [plain] : [decoded, plain];
  return candidates.filter(({ id, secret }) => !isUnstorableText(id) && !isUnstorableText(secret));
}

function formDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
