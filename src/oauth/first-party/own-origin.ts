import type { Config } from '../../config/config.ts';
import { OAuthError } from '../../platform/errors.ts';

interface BrowserRequest {
  readonly origin: string | undefined;
  /** `Sec-Fetch-Site`, which scripts cannot set. */
  readonly site: string | undefined;
  /** The origin that the request itself was sent to. */
  readonly self: string;
}

/** A browser adds the cookie by itself, so the page that asks must be one of ours. */
export function refuseForeignOrigin({ baseUrl, corsOrigins }: Config, { origin, site, self }: BrowserRequest): void {
  const ours =
    origin === undefined ? site !== 'cross-site' : [new URL(baseUrl).origin, self, ...corsOrigins].includes(origin);
  if (ours) return;
  throw new OAuthError('access_denied', 'The refresh cookie does not count on requests from another origin.', {
    status: 403,
    reason: `origin ${origin?.slice(0, 200) ?? site}`,
  });
}
