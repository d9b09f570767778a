import type { Config } from '../../config/config.ts';

/** The names and values, for every response. Pages and the API reference extend the Content-Security-Policy. */
export function securityHeaders({ baseUrl }: Config): [name: string, value: string][] {
  const headers: [name: string, value: string][] = [
    ['x-content-type-options', 'nosniff'],
    ['referrer-policy', 'no-referrer'],
    ['content-security-policy', "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"],
    ['cross-origin-resource-policy', 'same-origin'],
  ];
  if (baseUrl.startsWith('https:')) headers.push(['strict-transport-security', 'max-age=31536000']);
  return headers;
}
