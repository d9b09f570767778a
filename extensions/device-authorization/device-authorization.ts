import { hash, randomBytes, randomInt } from 'node:crypto';
import type { Context } from '../../src/database/context.ts';
import { uuidv7 } from '../../src/database/uuid.ts';
import type { RequestSource } from '../../src/http/request-source.ts';
import { networkLimits, requireWithinLimits } from '../../src/identity/throttle/throttle.ts';
import { authenticateClient, countPublicClient } from '../../src/oauth/client-authentication.ts';
import { invalidClient, mayUseGrant, unauthorizedClient } from '../../src/oauth/clients/client-rules.ts';
import type { StoredClient } from '../../src/oauth/clients/client-store.ts';
import { clientScopes, grantScopes, openidScope } from '../../src/oauth/clients/scopes/scopes.ts';
import { deviceCodeGrant } from '../../src/oauth/grants/device-code.ts';
import type { ClientRequest, OAuth } from '../../src/oauth/oauth.ts';
import { readParameters, resourcesIn } from '../../src/oauth/parameters.ts';
import { OAuthError, Problem, unavailable } from '../../src/platform/errors.ts';
import { insertDevice } from './device-store.ts';

/** RFC 8628 6.1: no vowels, so that codes form no words, and no letters that look alike. */
const codeLetters = 'BCDFGHJKLMNPQRSTVWXZ';
const length = 8;
const halfLength = length / 2;

const makeUserCode = () => Array.from({ length }, () => codeLetters.charAt(randomInt(codeLetters.length))).join('');

/** The code for display: two halves with a hyphen. */
export const showUserCode = (code: string): string => `${code.slice(0, halfLength)}-${code.slice(halfLength)}`;

const maxTypedLength = 64;

/** Reads a typed code, in any case and with any separators. Undefined if it cannot be a code. */
export function readUserCode(typed: string): string | undefined {
  if (typed.length > maxTypedLength) return undefined;
  const code = typed.toUpperCase().replace(/[\s\p{P}]/gu, '');
  return code.length === length && [...code].every((letter) => codeLetters.includes(letter)) ? code : undefined;
}

const lifetimeSeconds = 900;
const pollSeconds = 5;

/** Limits of requests within the lifetime of a code: per network, and in all to bound the table. */
const maxPerNetwork = 60;
const maxInTotal = 50_000;

/** A device code is random, so a plain hash is enough. */
export const hashDeviceCode = (code: string): string => hash('sha256', code, 'base64url');

/** RFC 8628 3.1 and 3.2. */
export async function authorizeDevice(oauth: OAuth, request: ClientRequest) {
  const { context, scopes: knownScopes, registeredClients, audiences } = oauth;
  const parameters = readParameters(request.body);
  const clientId = parameters.get('client_id');
  if (clientId !== undefined) {
    await registeredClients.refreshDocument(clientId, request.source).catch((error: unknown) => {
      throw error instanceof Problem && error.status === 400 ? invalidClient(error.reason ?? error.message) : error;
    });
  }
  const client = await authenticateClient(oauth, request, parameters);
  countPublicClient(client, request);
  if (client.type !== 'application' || !mayUseGrant(client, deviceCodeGrant.type)) throw unauthorizedClient(client);
  // RFC 9396 5: unsupported details are rejected, not ignored.
  if (parameters.has('authorization_details')) {
    const description = 'A device cannot request authorization_details: use the authorization endpoint.';
    throw new OAuthError('invalid_authorization_details', description);
  }
  // Scopes for clients only cannot be granted by a user.
  const allowed = client.scopes.filter((scope) => !clientScopes.includes(scope));
  const scopes = grantScopes(knownScopes, parameters.get('scope') ?? openidScope, allowed);
  await requireWithinRequestLimits(context, request.source);
  const newDevice = { client, scopes, resource: audiences.read(resourcesIn(parameters)), source: request.source };
  const { deviceCode, userCode } = await storeDevice(context, newDevice);
  context.metrics.deviceAuthorizations.inc({ result: 'requested' });
  const { baseUrl } = context.config;
  const displayedCode = showUserCode(userCode);
  return {
    device_code: deviceCode,
    user_code: displayedCode,
    verification_uri: `${baseUrl}/device`,
    verification_uri_complete: `${baseUrl}/device?user_code=${displayedCode}`,
    expires_in: lifetimeSeconds,
    interval: pollSeconds,
  };
}

function requireWithinRequestLimits(context: Context, { address }: RequestSource): Promise<void> {
  const limits = [
    ...networkLimits('device', address, maxPerNetwork),
    { key: 'device:all', max: maxInTotal, of: 'all' },
  ];
  const message = 'Too many devices are requesting codes at the moment. Try again later.';
  return requireWithinLimits(context, limits, message, lifetimeSeconds * 1000);
}

interface DeviceRequest {
  readonly client: StoredClient;
  readonly scopes: readonly string[];
  readonly resource: readonly string[];
  readonly source: RequestSource;
}

/** Two equal user codes are very unlikely. If it happens, a new code is made. */
async function storeDevice({ database, now }: Context, { client, scopes, resource, source }: DeviceRequest) {
  const deviceCode = randomBytes(32).toString('base64url');
  for (let attempt = 0; attempt < 5; attempt++) {
    const at = now();
    const userCode = makeUserCode();
    const stored = await insertDevice(database.db, {
      id: uuidv7(at),
      device_code_hash: hashDeviceCode(deviceCode),
      user_code: userCode,
      client_id: client.id,
      scopes: JSON.stringify(scopes),
      resource: resource.length > 0 ? JSON.stringify(resource) : null,
      address: source.address,
      user_agent: source.userAgent,
      created_at: at,
      expires_at: at + lifetimeSeconds * 1000,
      poll_seconds: pollSeconds,
    });
    if (stored) return { deviceCode, userCode };
  }
  throw unavailable('No code is free at the moment. Try again.', 1);
}
