import type { StoredClient } from '../clients/client-store.ts';
import { unknownClient } from '../clients/unknown-client.ts';
import type { OAuth } from '../oauth.ts';
import type { Parameters } from '../parameters.ts';
import { readJws } from './foreign-jws.ts';
import { spendProof } from './used-proof-store.ts';

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
/** In seconds. */
const longestLife = 3600;
const clockTolerance = 60;

/** RFC 7523 3: the client that signed the assertion of a request. Each works once, on any instance. */
export async function clientByAssertion(oauth: ByAssertion, parameters: Parameters): Promise<StoredClient> {
  const { context, clients, clientKeys } = oauth;
  const jws = readJws(parameters.get('client_assertion') ?? '');
  if (!jws || parameters.get('client_assertion_type') !== assertionType) throw unknownClient('no client assertion');
  const { iss, sub, aud, exp, nbf, jti } = jws.claims;
  const id = parameters.get('client_id') ?? sub;
  if (typeof sub !== 'string' || iss !== sub || id !== sub) throw unknownClient('iss, sub and client_id differ');
  const now = context.now() / 1000;
  if (!isForHere(context.config.baseUrl, aud)) throw unknownClient('the assertion is for another server');
  if (typeof exp !== 'number' || exp < now - clockTolerance || exp > now + longestLife) {
    throw unknownClient('the assertion has expired, or lives too long');
  }
  if (nbf !== undefined && (typeof nbf !== 'number' || nbf > now + clockTolerance)) {
    throw unknownClient('the assertion is not valid yet');
  }
  if (typeof jti !== 'string') throw unknownClient('the assertion has no jti');
  const client = await clients.find(sub);
  if (client?.tokenEndpointAuthMethod !== 'private_key_jwt') throw unknownClient('no client with keys');
  if (!(await clientKeys.isSigned(client, jws))) throw unknownClient('no key of the client signed the assertion');
  const expiresAt = (exp + clockTolerance) * 1000;
  if (!(await spendProof(context.database.db, `assertion\n${sub}\n${jti}`, expiresAt))) {
    throw unknownClient('the assertion was used before');
  }
  return client;
}

type ByAssertion = Pick<OAuth, 'context' | 'clients' | 'clientKeys'>;

/** FAPI 2.0 wants the issuer alone. Older libraries name the endpoint that they call. */
function isForHere(baseUrl: string, aud: unknown): boolean {
  const here = [
    baseUrl,
    `${baseUrl}/`,
    ...['token', 'par', 'introspect', 'revoke'].map((name) => `${baseUrl}/oauth/${name}`),
  ];
  return [aud].flat().some((one) => here.includes(one as string));
}
