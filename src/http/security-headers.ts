import type { Config } from '../config.ts';

/** Names and values in turn, for every answer. Pages and the API reference widen the Content-Security-Policy for themselves. */
export function securityHeaders({ baseUrl }: Config): string[] {
  const headers = [
    'X-Content-Type-Options',
    'nosniff',
    'Referrer-Policy',
    'no-referrer',
    'Content-Security-Policy',
    "default-src 'none'; frame-ancestors 'none'",
    'Cross-Origin-Resource-Policy',
    'same-origin',
  ];
  if (baseUrl.startsWith('https:')) headers.push('Strict-Transport-Security', 'max-age=31536000');
  return headers;
}
