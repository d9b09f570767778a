import type { FastifyRequest } from 'fastify';
import type { Config } from '../../config/config.ts';

/** Whether an Origin header names this service: by BASE_URL, or by the requested host. */
export const isOwnOrigin = (origin: string, host: string, { baseUrl }: Pick<Config, 'baseUrl'>): boolean =>
  origin === new URL(baseUrl).origin || origin.endsWith(`://${host}`);

/** Whether a page of this service sent the request: by Sec-Fetch-Site, else Origin, else Referer (old browsers). */
export function mayBeOwnPage({ headers, host }: FastifyRequest, config: Pick<Config, 'baseUrl'>): boolean {
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin' || site === 'none') return true;
  if (site !== undefined) return false;
  const origin = headers.origin ?? originOf(headers.referer);
  return origin === undefined || isOwnOrigin(origin, host, config);
}

const originOf = (url: string | undefined): string | undefined =>
  url === undefined ? undefined : (URL.parse(url)?.origin ?? 'null');
