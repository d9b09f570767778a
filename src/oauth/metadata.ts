import type { KnownScopes } from '../clients/scopes.ts';
import type { Config } from '../config.ts';
import { grants } from './token-endpoint.ts';

const authenticationMethods = ['client_secret_basic', 'client_secret_post'];

/** RFC 8414. */
export function authorizationServerMetadata({ baseUrl }: Config, scopes: KnownScopes) {
  return {
    issuer: baseUrl,
    token_endpoint: `${baseUrl}/oauth/token`,
    token_endpoint_auth_methods_supported: authenticationMethods,
    jwks_uri: `${baseUrl}/.well-known/jwks.json`,
    scopes_supported: scopes.list(),
    // There is no authorization endpoint, but RFC 8414 requires the list.
    response_types_supported: [],
    grant_types_supported: [...grants.keys()],
    device_authorization_endpoint: `${baseUrl}/oauth/device_authorization`,
    revocation_endpoint: `${baseUrl}/oauth/revoke`,
    revocation_endpoint_auth_methods_supported: authenticationMethods,
    introspection_endpoint: `${baseUrl}/oauth/introspect`,
    introspection_endpoint_auth_methods_supported: authenticationMethods,
    service_documentation: `${baseUrl}/docs`,
  };
}

/** Where RFC 8414 3.1 puts it for an issuer with a path: the path comes last. Undefined where there is none. */
export function pathOfMetadata({ baseUrl }: Config): string | undefined {
  const { pathname } = new URL(baseUrl);
  return pathname === '/' ? undefined : pathname;
}
