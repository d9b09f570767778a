import type { Context } from '../../src/database/context.ts';
import { idTokenAlgorithm } from '../../src/database/keys/make-keys.ts';
import type { Application } from '../../src/oauth/clients/client-store.ts';
import type { ClientNotes } from './client-metadata.ts';

/** RFC 7591 3.2.1 and RFC 7592 3. */
export type ClientInformation = Readonly<Record<string, unknown>>;

export const registrationClientUri = ({ config: { baseUrl } }: Context, clientId: string): string =>
  `${baseUrl}/oauth/register/${encodeURIComponent(clientId)}`;

/** Metadata without a column. */
export interface StoredMetadata {
  readonly notes?: ClientNotes;
  /** The limits that count this registration until the client is first used. */
  readonly countedAs?: readonly string[];
}

/** The complete metadata, by the names of RFC 7591 and of OpenID Connect Dynamic Client Registration. */
export function clientInformation(application: Application, notes: ClientNotes = {}): ClientInformation {
  const optional = {
    client_uri: application.homepage_uri,
    logo_uri: application.logo_uri,
    tos_uri: application.tos_uri,
    policy_uri: application.policy_uri,
    backchannel_logout_uri: application.backchannel_logout_uri,
    post_logout_redirect_uris:
      application.post_logout_redirect_uris.length > 0 ? application.post_logout_redirect_uris : null,
    default_max_age: application.default_max_age,
    jwks: application.jwks,
    jwks_uri: application.jwks_uri,
    require_pushed_authorization_requests: application.require_pushed_authorization_requests || null,
    require_signed_request_object: application.require_signed_request_object || null,
    dpop_bound_access_tokens: application.dpop_bound_access_tokens || null,
  };
  return {
    client_name: application.name,
    redirect_uris: application.redirect_uris,
    grant_types: application.grant_types,
    response_types: application.grant_types.includes('authorization_code') ? ['code'] : [],
    token_endpoint_auth_method: application.token_endpoint_auth_method,
    id_token_signed_response_alg: application.id_token_signed_response_alg ?? idTokenAlgorithm,
    subject_type: 'public',
    application_type: 'web',
    scope: application.scopes.join(' '),
    ...notes,
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== null)),
  };
}
