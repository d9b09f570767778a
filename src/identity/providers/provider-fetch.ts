import type { Config } from '../../config/config.ts';
import { createGuardedFetch, OutboundError } from '../../http/outbound/guarded-fetch.ts';
import type { ProviderDefinition } from './define-provider.ts';
import { isLoopbackHost } from './load-providers.ts';

/** As much of `fetch` as `openid-client` and `jose` use. */
export type ProviderFetch = (
  url: string,
  options: { method?: string; headers?: ConstructorParameters<typeof Headers>[0]; body?: unknown },
) => Promise<Response>;

const timeoutMs = 5000;
const maxBytes = 262_144;

/**
 * Calls a provider. The hosts that the operator declared may have any address. Every other host that the provider names
 * must be on the public internet. Plain http is for loopback only. Redirects are not followed.
 */
export function createProviderFetch(
  config: Pick<Config, 'baseUrl' | 'outboundPrivateAddresses'>,
  { issuer, authorizationEndpoint, tokenEndpoint }: ProviderDefinition,
): ProviderFetch {
  const named = [issuer, authorizationEndpoint, tokenEndpoint].filter((url) => url !== undefined);
  const declared = new Set(named.map((url) => new URL(url).hostname));
  const anywhere = createGuardedFetch({ ...config, outboundPrivateAddresses: true });
  const guarded = createGuardedFetch(config);
  return async (address, { method = 'GET', headers, body }) => {
    const url = new URL(address);
    if (url.protocol !== 'https:' && !isLoopbackHost(url.hostname)) {
      throw new OutboundError(`${url.host} must be called by https`);
    }
    const call = declared.has(url.hostname) ? anywhere : guarded;
    const answer = await call(url.href, {
      method: method === 'POST' ? 'POST' : 'GET',
      headers: { 'user-agent': 'Gatehouse', ...Object.fromEntries(new Headers(headers)) },
      ...(body === undefined || body === null ? {} : { body: String(body) }),
      timeoutMs,
      maxBytes,
    });
    const { status } = answer;
    if (status < 200 || status > 599) throw new OutboundError(`${url.host} answered with the status ${status}`);
    const type = answer.headers['content-type'];
    const empty = [204, 205, 304].includes(status);
    return new Response(empty ? null : new Uint8Array(answer.body), {
      status,
      headers: {
        ...(type === undefined ? {} : { 'content-type': type }),
        ...(answer.headers['www-authenticate'] ? { 'www-authenticate': answer.headers['www-authenticate'] } : {}),
      },
    });
  };
}
