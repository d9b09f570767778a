import type { RequestSource } from '../http/request-source.ts';
import type { StoredClient } from './clients/client-store.ts';
import type { AuthenticatedClient } from './clients/secrets/client-secrets.ts';
import { unknownClient } from './clients/unknown-client.ts';
import type { OAuth } from './oauth.ts';
import { invalidRequest, type Parameters } from './parameters.ts';
import { clientByAssertion } from './proofs/client-assertion.ts';
import type { ProvenRequest } from './proofs/dpop.ts';

/** A request in which a client says who it is. */
export interface ClientRequest {
  readonly authorization: string | undefined;
  readonly body: unknown;
  /** As it was sent, where it may carry a DPoP proof. */
  readonly sent?: ProvenRequest | undefined;
  readonly source: RequestSource;
  /** Counts the request against RATE_LIMIT as its client's; throws where it is one too many. */
  readonly countAs?: ((caller: string) => void) | undefined;
  /** Told which client it is, before the request is judged. */
  readonly authenticated?: ((client: StoredClient) => void) | undefined;
}

/**
 * The client that sends this request, by HTTP Basic or by parameters, never by both. A public client names itself: anybody
 * could, so nothing is counted as its own.
 */
export async function authenticateClient(
  oauth: Pick<OAuth, 'context' | 'clients' | 'clientKeys' | 'failedClients'>,
  { authorization, source, countAs, authenticated }: Omit<ClientRequest, 'body'>,
  parameters: Parameters,
): Promise<AuthenticatedClient> {
  const { clients, failedClients } = oauth;
  if (parameters.has('client_assertion')) {
    if (authorization !== undefined && /^basic /i.test(authorization)) throw authenticatedTwice();
    if (parameters.has('client_secret')) throw authenticatedTwice();
    const client = await clientByAssertion(oauth, parameters);
    authenticated?.(client);
    countAs?.(client.id);
    return client;
  }
  // Only Basic is client authentication. HTTP clients add a Bearer header to every request that they send.
  const usedHeader = authorization !== undefined && /^basic(\s|$)/i.test(authorization);
  const id = parameters.get('client_id');
  const secret = parameters.get('client_secret');
  if (usedHeader && secret !== undefined) {
    throw authenticatedTwice();
  }
  const attempts = usedHeader ? readBasic(authorization) : [{ id, secret }];
  for (const attempt of attempts) {
    if (attempt.id === undefined) continue;
    if (usedHeader && id !== undefined && id !== attempt.id) continue;
    const client = await clients.authenticate(attempt.id, attempt.secret);
    if (!client) continue;
    authenticated?.(client);
    if (!client.public) countAs?.(client.id);
    return client;
  }
  await failedClients.record(attempts[0]?.id ?? id, source);
  throw unknownClient(attempts.length === 0 ? 'no Basic credentials' : `client ${attempts[0]?.id ?? 'missing'}`);
}

const authenticatedTwice = () =>
  invalidRequest('The client authenticated twice: use the Authorization header, client_secret or client_assertion.');

/**
 * RFC 6749 2.3.1: id and secret are form-encoded before they are joined. Many clients send them as they are; where that
 * makes a difference, both readings are tried.
 */
function readBasic(authorization: string): { id: string; secret: string }[] {
  const encoded = /^basic +([A-Za-z0-9+/_-]+=*) *$/i.exec(authorization)?.[1];
  if (!encoded) return [];
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  if (colon < 0) return [];
  const plain = { id: text.slice(0, colon), secret: text.slice(colon + 1) };
  const decoded = { id: formDecode(plain.id), secret: formDecode(plain.secret) };
  return decoded.id === plain.id && decoded.secret === plain.secret ? [plain] : [decoded, plain];
}

function formDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
