import type { Config } from '../config/config.ts';
import { isLoopbackHost } from './network-of.ts';

export const crossSiteWarning =
  'CORS_ORIGINS names {origin}, but BASE_URL is {url}: for a browser, {page} and {service} are different sites, and it does not send the refresh cookie. Open the page at {instead}, or set BASE_URL to {page}.';

/**
 * `localhost` and `127.0.0.1` are different sites: the browser does not send the refresh cookie, and a reload signs
 * the user out. Returns the values for `crossSiteWarning`.
 */
export function findCrossSiteOrigins({ baseUrl, corsOrigins }: Pick<Config, 'baseUrl' | 'corsOrigins'>) {
  const service = new URL(baseUrl);
  if (!isLoopbackHost(service.hostname)) return [];
  return corsOrigins.flatMap((origin) => {
    if (!URL.canParse(origin)) return [];
    const page = new URL(origin);
    if (!isLoopbackHost(page.hostname) || page.hostname === service.hostname) return [];
    const sameSiteUrl = new URL(origin);
    sameSiteUrl.hostname = service.hostname;
    return [{ origin, url: baseUrl, page: page.hostname, service: service.hostname, instead: sameSiteUrl.origin }];
  });
}
