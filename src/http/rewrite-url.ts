import type { Config } from '../config/config.ts';
import type { KnownPaths } from './gate/known-paths.ts';

/** `GET http://host/path`, as proxies may send it, means the same as `GET /path` (RFC 9112 3.2.2). */
function originForm(url: string): string {
  if (url.startsWith('/')) return url;
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '');
  return path === '' || path.startsWith('?') ? `/${path}` : path;
}

/**
 * The address of a request as the routes know it. If `BASE_URL` has a path, a proxy may pass that prefix on or strip it. A
 * path that is a route as it stands is left alone: with `BASE_URL=https://example.com/v1`, `/v1/users` is what a proxy
 * that strips the prefix sends.
 */
export function rewriteUrl({ baseUrl }: Pick<Config, 'baseUrl'>, paths: Pick<KnownPaths, 'find'>) {
  const prefix = new URL(baseUrl).pathname.replace(/\/$/, '');
  return ({ url: sent = '/' }: { url?: string | undefined }): string => {
    const url = originForm(sent);
    if (prefix === '' || !url.startsWith(prefix)) return url;
    const rest = url.slice(prefix.length);
    if (rest !== '' && !/^[/?]/.test(rest)) return url;
    if (paths.find(url.split('?', 1)[0] as string)) return url;
    return rest.startsWith('/') ? rest : `/${rest}`;
  };
}
