import { changeAs } from '../../src/database/change-as.ts';
import type { Context } from '../../src/database/context.ts';
import type { RequestSource } from '../../src/http/request-source.ts';
import { networkLimits, requireWithinLimits } from '../../src/identity/throttle/throttle.ts';
import { createClientWithSecret } from '../../src/oauth/clients/secrets/client-secrets.ts';
import { createShortToken, hashShortToken } from '../../src/oauth/clients/secrets/short-token.ts';
import type { OAuth } from '../../src/oauth/oauth.ts';
import { OAuthError } from '../../src/platform/errors.ts';
import { isObject } from '../../src/platform/is-object.ts';
import {
  type ClientInformation,
  clientInformation,
  registrationClientUri,
  type StoredMetadata,
} from './client-information.ts';
import { readClientMetadata, supportedMetadata } from './client-metadata.ts';
import { upsertRegistration } from './registration-store.ts';
import { authorizeRegistration, requireRegistrar } from './registration-tokens.ts';

const hour = 3_600_000;
/** Unused registrations per hour, per network and in all. Used clients do not count: hosted assistants register many. */
const maxPerNetwork = 20;
const maxInTotal = 1000;

export interface RegistrationRequest {
  /** The token in the Authorization header. */
  readonly token: string | undefined;
  readonly body: unknown;
  readonly source: RequestSource;
}

/** The members of the body. Throws if the body is not an object. */
export function requireJsonObject(body: unknown): Readonly<Record<string, unknown>> {
  if (isObject(body)) return body;
  throw new OAuthError('invalid_client_metadata', 'Send the metadata of the client as a JSON object.');
}

/** RFC 7591: an application registers itself. Its metadata is unverified, and the consent page says so. */
export async function registerClient(oauth: OAuth, request: RegistrationRequest): Promise<ClientInformation> {
  const { context, keys, lockAuthority } = oauth;
  const { config, database, now } = context;
  if (config.dynamicClients === 'closed') {
    throw new OAuthError('access_denied', 'Applications cannot register themselves at this service.', { status: 403 });
  }
  const caller = await authorizeRegistration(oauth, request.token);
  const submitted = requireJsonObject(request.body);
  const { application, notes } = readClientMetadata(supportedMetadata(oauth), submitted, 'client_secret_basic');
  const countedAs = await requireWithinRegistrationLimits(context, request.source);
  const token = createShortToken('reg');
  const created = await changeAs(database, lockAuthority, { caller }, async (tx, invalidate, lockedCaller) => {
    if (lockedCaller.kind !== 'anonymous') requireRegistrar(lockedCaller, now());
    const client = await createClientWithSecret(context, keys, tx, invalidate, {
      ...{ ...application, type: 'application' as const, userId: null },
      ...{ actorId: caller.userId, source: request.source, by: 'registration' },
    });
    if (!client) throw new Error('a new id was taken');
    const at = now();
    await upsertRegistration(tx, {
      client_id: client.id,
      kind: 'dynamic',
      token_hash: hashShortToken(token),
      metadata: JSON.stringify({ notes, countedAs } satisfies StoredMetadata),
      fresh_until: null,
      created_at: at,
      last_used_at: at,
    });
    return { ...client, createdAt: at };
  });
  context.metrics.clientRegistrations.inc({ kind: 'dynamic' });
  const secret = created.secret === undefined ? {} : { client_secret: created.secret, client_secret_expires_at: 0 };
  return {
    client_id: created.id,
    client_id_issued_at: Math.floor(created.createdAt / 1000),
    ...secret,
    registration_access_token: token,
    registration_client_uri: registrationClientUri(context, created.id),
    ...clientInformation(application, notes),
  };
}

/** Returns the names of the limits that count this registration. */
async function requireWithinRegistrationLimits(context: Context, { address }: RequestSource) {
  const all = { key: 'client-registration:all', max: maxInTotal, of: 'all' };
  const limits = [...networkLimits('client-registration', address, maxPerNetwork), all];
  await requireWithinLimits(context, limits, 'Too many clients registered. Try again later.', hour);
  return limits.map(({ key }) => key);
}
