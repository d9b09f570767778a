import type { Context } from '../../database/context.ts';
import { idTokenAlgorithm } from '../../database/keys/make-keys.ts';
import type { StoredClient } from '../clients/client-store.ts';
import type { ClientMetadata, ClientNotes } from './client-metadata.ts';

/** RFC 7591 3.2.1 and RFC 7592 3. */
export type ClientInformation = Readonly<Record<string, unknown>>;

export const addressOf = ({ config: { baseUrl } }: Context, clientId: string): string =>
  `${baseUrl}/oauth/register/${encodeURIComponent(clientId)}`;

/** Metadata without a column. */
export interface StoredMetadata {
  readonly notes?: ClientNotes;
  /** The limits that count this registration until the client is first used. */
  readonly countedAs?: readonly string[];
}

/** The complete metadata, by the names of RFC 7591 and of OpenID Connect Dynamic Client Registration. */
export function describe(
  { name, scopes, fields }: Pick<ClientMetadata, 'name' | 'scopes' | 'fields'>,
  notes: ClientNotes = {},
): ClientInformation {
  const optional = {
    client_uri: fields.homepageUri,
    logo_uri: fields.logoUri,
    tos_uri: fields.tosUri,
    policy_uri: fields.policyUri,
    backchannel_logout_uri: fields.backchannelLogoutUri,
    post_logout_redirect_uris: fields.postLogoutRedirectUris.length > 0 ? fields.postLogoutRedirectUris : null,
    default_max_age: fields.defaultMaxAge,
    jwks: fields.jwks,
    jwks_uri: fields.jwksUri,
    require_pushed_authorization_requests: fields.requirePushedAuthorizationRequests || null,
    require_signed_request_object: fields.requireSignedRequestObject || null,
    dpop_bound_access_tokens: fields.dpopBoundAccessTokens || null,
  };
  return {
    client_name: name,
    redirect_uris: fields.redirectUris,
    grant_types: fields.grantTypes,
    response_types: fields.grantTypes.includes('authorization_code') ? ['code'] : [],
    token_endpoint_auth_method: fields.tokenEndpointAuthMethod,
    id_token_signed_response_alg: fields.idTokenSignedResponseAlg ?? idTokenAlgorithm,
    subject_type: 'public',
    application_type: 'web',
    scope: scopes.join(' '),
    ...notes,
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== null)),
  };
}

export const fieldsOf = (client: StoredClient): Pick<ClientMetadata, 'name' | 'scopes' | 'fields'> => ({
  name: client.name,
  scopes: client.scopes,
  fields: client,
});
