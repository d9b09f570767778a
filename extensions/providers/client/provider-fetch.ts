import type { Config } from '../../../src/config/config.ts';
import { isLoopbackHost } from '../../../src/http/network-of.ts';
import { createGuardedFetch, OutboundError } from '../../../src/http/outbound/guarded-fetch.ts';
import type { ProviderDefinition } from '../declaration/define-provider.ts';

/** The part of `fetch` that `openid-client` and `jose` use. */
export type ProviderFetch = (
  url: string,
  options: { method?: string; headers?: ConstructorParameters<typeof Headers>[0]; body?: unknown },
) => Promise<Response>;

const timeoutMs = 5000;
const maxBytes = 262_144;
const keptHeaders = ['content-type', 'www-authenticate', 'date', 'age'];

/** Calls a provider. Undeclared hosts must be public. Plain http only for loopback. Follows no redirects. */
export function createProviderFetch(
  config: Pick<Config, 'baseUrl' | 'outboundPrivateAddresses'>,
  { issuer, authorizationEndpoint, tokenEndpoint }: ProviderDefinition,
): ProviderFetch {
  const declaredUrls = [issuer, authorizationEndpoint, tokenEndpoint].filter((url) => url !== undefined);
  const declared = new Set(declaredUrls.map((url) => new URL(url).hostname));
  const anywhere = createGuardedFetch({ ...config, outboundPrivateAddresses: true });
  const guarded = createGuardedFetch(config);
  return async (address, { method = 'GET', headers, body }) => {
    const url = new URL(address);
    if (url.protocol !== 'https:' && !isLoopbackHost(url.hostname)) {
      throw new OutboundError(`${url.host} must be called by https`);
    }
    const call = declared.has(url.hostname) ? anywhere : guarded;
    const response = await call(url.href, {
      method: method === 'POST' ? 'POST' : 'GET',
      headers: { 'user-agent': 'Gatehouse', ...Object.fromEntries(new Headers(headers)) },
      ...(body === undefined || body === null ? {} : { body: String(body) }),
      timeoutMs,
      maxBytes,
    });
    const { status } = response;
    if (status < 200 || status > 599) throw new OutboundError(`${url.host} returned the status ${status}`);
    const empty = [204, 205, 304].includes(status);
    const forwarded = keptHeaders.flatMap((name) =>
      response.headers[name] ? [[name, String(response.headers[name])]] : [],
    );
    return new Response(empty ? null : new Uint8Array(response.body), {
      status,
      headers: Object.fromEntries(forwarded),
    });
  };
}
