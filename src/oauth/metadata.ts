import type { Config } from '../config/config.ts';
import { acrLevels } from '../platform/proof.ts';
import { prompts, responseModes } from './authorize/authorization-request.ts';
import { clientDocumentsEnabled } from './clients/client-uris.ts';
import type { OAuth } from './oauth.ts';
import { UserInfo } from './openid/claims.ts';
import { idTokenClaims } from './openid/id-token.ts';
import { proofAlgorithms } from './proofs/client-jws.ts';
import { grants } from './token-endpoint.ts';

const confidentialAuthMethods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'];
const authMethods = [...confidentialAuthMethods, 'none'];

/** RFC 8414 and OpenID Connect Discovery: one document at both addresses. Readers ignore unknown members. */
export function metadata({ context: { config }, keys, scopes }: Pick<OAuth, 'context' | 'keys' | 'scopes'>) {
  const { baseUrl } = config;
  return {
    issuer: baseUrl,
    ...endpoints(baseUrl),
    ...registrationMetadata(config),
    ...authorizationDetailsMetadata(config),
    token_endpoint_auth_methods_supported: authMethods,
    revocation_endpoint_auth_methods_supported: authMethods,
    introspection_endpoint_auth_methods_supported: confidentialAuthMethods,
    token_endpoint_auth_signing_alg_values_supported: proofAlgorithms,
    dpop_signing_alg_values_supported: proofAlgorithms,
    request_object_signing_alg_values_supported: proofAlgorithms,
    require_pushed_authorization_requests: false,
    scopes_supported: scopes.list(),
    grant_types_supported: [...grants.keys()],
    ...authorizationMetadata,
    ...identityMetadata,
    ...logoutMetadata,
    id_token_signing_alg_values_supported: keys.signingKeys.algorithms(),
    service_documentation: `${baseUrl}/docs`,
  };
}

const endpoints = (baseUrl: string) => ({
  authorization_endpoint: `${baseUrl}/oauth/authorize`,
  token_endpoint: `${baseUrl}/oauth/token`,
  device_authorization_endpoint: `${baseUrl}/oauth/device_authorization`,
  userinfo_endpoint: `${baseUrl}/oauth/userinfo`,
  end_session_endpoint: `${baseUrl}/oauth/logout`,
  revocation_endpoint: `${baseUrl}/oauth/revoke`,
  introspection_endpoint: `${baseUrl}/oauth/introspect`,
  pushed_authorization_request_endpoint: `${baseUrl}/oauth/par`,
  jwks_uri: `${baseUrl}/.well-known/jwks.json`,
});

/** Included only if enabled (RFC 7591, and the draft for client id metadata documents). */
const registrationMetadata = (config: Config) => ({
  ...(config.dynamicClients === 'closed' ? {} : { registration_endpoint: `${config.baseUrl}/oauth/register` }),
  ...(clientDocumentsEnabled(config) ? { client_id_metadata_document_supported: true } : {}),
});

/** RFC 9396 10. */
const authorizationDetailsMetadata = ({ authorizationDetailsTypes }: Config) => {
  const types = Object.keys(authorizationDetailsTypes);
  return types.length > 0 ? { authorization_details_types_supported: types } : {};
};

const authorizationMetadata = {
  response_types_supported: ['code'],
  response_modes_supported: responseModes,
  code_challenge_methods_supported: ['S256'],
  prompt_values_supported: prompts,
  // RFC 9207.
  authorization_response_iss_parameter_supported: true,
  request_parameter_supported: true,
  // The default would be true (OpenID Connect Discovery 3).
  request_uri_parameter_supported: false,
};

const identityMetadata = {
  subject_types_supported: ['public'],
  acr_values_supported: acrLevels,
  claim_types_supported: ['normal'],
  claims_parameter_supported: true,
  claims_supported: [...new Set([...idTokenClaims, ...Object.keys(UserInfo.properties)])],
};

const logoutMetadata = {
  backchannel_logout_supported: true,
  backchannel_logout_session_supported: true,
  frontchannel_logout_supported: false,
};

/** The metadata path of an issuer with a path (RFC 8414 3.1): the issuer's path comes last. Undefined if the issuer has no path. */
export function pathOfMetadata({ baseUrl }: Config): string | undefined {
  const { pathname } = new URL(baseUrl);
  return pathname === '/' ? undefined : pathname;
}
