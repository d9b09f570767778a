import { commitAndInvalidate, type Invalidate } from '../../src/database/bus.ts';
import type { Tx } from '../../src/database/database.ts';
import { unauthorized } from '../../src/http/gate/unauthorized.ts';
import {
  findClient,
  lockClient,
  removeClient,
  type StoredClient,
  updateApplication,
} from '../../src/oauth/clients/client-store.ts';
import { isSecretOf } from '../../src/oauth/clients/secrets/client-secrets.ts';
import type { OAuth } from '../../src/oauth/oauth.ts';
import { invalidRequest } from '../../src/oauth/parameters.ts';
import { OAuthError } from '../../src/platform/errors.ts';
import { parseJson } from '../../src/platform/json-text.ts';
import { recordEvent } from '../../src/resources/audit/record-event.ts';
import { changesBetween } from '../../src/resources/write/changes.ts';
import { type ClientInformation, clientInformation, registrationClientUri } from './client-information.ts';
import { readClientMetadata, supportedMetadata, textOf } from './client-metadata.ts';
import { type RegistrationRequest, requireJsonObject } from './register-client.ts';
import { findRegistration, type RegistrationRow, upsertRegistration } from './registration-store.ts';
import { invalidToken, isRegistrationToken } from './registration-tokens.ts';

interface Managed {
  readonly client: StoredClient;
  readonly registration: RegistrationRow;
}

type Managing = RegistrationRequest & { readonly clientId: string };

/** RFC 7592 2: authenticates by the registration access token. A deleted client and a wrong token get the same error. */
async function asRegistered<T>(
  { context }: OAuth,
  { token, clientId }: Managing,
  work: (tx: Tx, managed: Managed, invalidate: Invalidate) => Promise<T>,
): Promise<T> {
  if (token === undefined) throw unauthorized('token_missing');
  return commitAndInvalidate(context.database, async (tx, invalidate) => {
    await lockClient(tx, clientId);
    const registration = await findRegistration(tx, clientId);
    const client = registration && (await findClient(tx, clientId));
    if (!client || !isRegistrationToken(token, registration.token_hash)) throw invalidToken();
    return work(tx, { client, registration }, invalidate);
  });
}

/** RFC 7592 2.1. The response has no secret, because only its hash is stored. */
export const readRegistered = (oauth: OAuth, request: Managing): Promise<ClientInformation> =>
  asRegistered(oauth, request, async (_tx, managed) => informationOf(oauth, request, managed));

function informationOf({ context }: OAuth, { token }: Managing, { client, registration }: Managed): ClientInformation {
  return {
    client_id: client.id,
    client_id_issued_at: Math.floor(registration.created_at / 1000),
    registration_access_token: token,
    registration_client_uri: registrationClientUri(context, client.id),
    ...clientInformation(client, parseJson(registration.metadata).notes),
  };
}

const serverMembers = [
  'registration_access_token',
  'registration_client_uri',
  'client_secret_expires_at',
  'client_id_issued_at',
];

/** RFC 7592 2.2: replaces all metadata. Omitted members get their defaults. */
export async function replaceRegistered(oauth: OAuth, request: Managing): Promise<ClientInformation> {
  const { context, keys } = oauth;
  await keys.ensureCurrent();
  return asRegistered(oauth, request, async (tx, { client, registration }, invalidate) => {
    const submitted = requireJsonObject(request.body);
    const invalid = serverMembers.find((name) => Object.hasOwn(submitted, name));
    if (invalid) throw invalidRequest(`only the server sets ${invalid}: leave it out.`);
    if (textOf(submitted, 'client_id') !== client.id) throw invalidRequest('client_id must be the id of the client.');
    const secret = textOf(submitted, 'client_secret');
    if (secret !== undefined && !isSecretOf(keys, client, secret, context.now())) {
      throw invalidRequest('client_secret is not the secret of the client. You cannot choose it.');
    }
    const defaultMethod = client.public ? 'none' : 'client_secret_basic';
    const { application, notes } = readClientMetadata(supportedMetadata(oauth), submitted, defaultMethod);
    if (application.public !== client.public) {
      throw new OAuthError(
        'invalid_client_metadata',
        'A client with a secret cannot become public, and a public client cannot get a secret.',
      );
    }
    await updateApplication(tx, client.id, application, context.now());
    const renewed = { ...registration, metadata: JSON.stringify({ ...parseJson(registration.metadata), notes }) };
    await upsertRegistration(tx, renewed);
    invalidate({ kind: 'client', id: client.id });
    const { source } = request;
    const changes = changesBetween(
      clientInformation(client, parseJson(registration.metadata).notes),
      clientInformation(application, notes),
    );
    const data = { by: 'registration', changes };
    await recordEvent(context, tx, { type: 'client.updated', clientId: client.id, source, data });
    const updated = (await findClient(tx, client.id)) as StoredClient;
    return informationOf(oauth, request, { client: updated, registration: renewed });
  });
}

/** RFC 7592 2.3: deletes the client with its secrets and tokens. */
export const removeRegistered = ({ context, ...oauth }: OAuth, request: Managing): Promise<void> =>
  asRegistered({ context, ...oauth }, request, async (tx, { client }, invalidate) => {
    await removeClient(tx, invalidate, client.id);
    const data = {
      by: 'registration',
      changes: changesBetween({ name: client.name, scopes: client.scopes }, undefined),
    };
    await recordEvent(context, tx, { type: 'client.deleted', clientId: client.id, source: request.source, data });
  });
