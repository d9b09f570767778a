import type { Config } from '../../config/config.ts';

/** Names and values in turn, for every answer. Pages and the API reference widen the Content-Security-Policy for themselves. */
export function securityHeaders({ baseUrl }: Config): string[] {
  const headers = [
    'x-content-type-options',
    'nosniff',
    'referrer-policy',
    'no-referrer',
    'content-security-policy',
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    'cross-origin-resource-policy',
    'same-origin',
  ];
  if (baseUrl.startsWith('https:')) headers.push('strict-transport-security', 'max-age=31536000');
  return headers;
}
