const wellKnown = '/.well-known/oauth-protected-resource';

/** RFC 9728 3.1: where the metadata of a resource stands that lies at this path under the service's address. */
export function resourceMetadataPath(baseUrl: string, path: string): string {
  return wellKnown + new URL(baseUrl).pathname.replace(/\/$/, '') + path;
}

/** RFC 9728 5.1: what a challenge adds, so that a client that knows the resource alone finds the way to a token. */
export const resourceMetadataHint = (baseUrl: string, path = '/v1'): string =>
  `, resource_metadata="${new URL(baseUrl).origin}${resourceMetadataPath(baseUrl, path)}"`;
