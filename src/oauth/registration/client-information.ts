import type { Context } from '../../database/context.ts';
import type { StoredClient } from '../clients/client-store.ts';
import type { ClientMetadata } from './client-metadata.ts';

/** RFC 7591 3.2.1 and RFC 7592 3. */
export type ClientInformation = Readonly<Record<string, unknown>>;

export const addressOf = ({ config: { baseUrl } }: Context, clientId: string): string =>
  `${baseUrl}/oauth/register/${encodeURIComponent(clientId)}`;

type Kept = Pick<ClientMetadata, 'authMethod' | 'grantTypes'>;

/** What no column of the client has. */
export const keptMetadata = ({ authMethod, grantTypes }: Kept): string => JSON.stringify({ authMethod, grantTypes });

/** All that is registered, by the names of RFC 7591. */
export function describe(
  { name, scopes, fields }: Pick<ClientMetadata, 'name' | 'scopes' | 'fields'>,
  { authMethod, grantTypes }: Kept,
): ClientInformation {
  const optional = {
    client_uri: fields.homepageUri,
    logo_uri: fields.logoUri,
    backchannel_logout_uri: fields.backchannelLogoutUri,
    post_logout_redirect_uris: fields.postLogoutRedirectUris.length > 0 ? fields.postLogoutRedirectUris : null,
  };
  return {
    client_name: name,
    redirect_uris: fields.redirectUris,
    grant_types: grantTypes,
    response_types: grantTypes.includes('authorization_code') ? ['code'] : [],
    token_endpoint_auth_method: authMethod,
    scope: scopes.join(' '),
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== null)),
  };
}

export const fieldsOf = (client: StoredClient): Pick<ClientMetadata, 'name' | 'scopes' | 'fields'> => ({
  name: client.name,
  scopes: client.scopes,
  fields: client,
});
