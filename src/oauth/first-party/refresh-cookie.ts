import type { Config, ProxiedClient } from '../../config/config.ts';

export const refreshCookieName = 'refreshToken';

/** The browser sends this cookie only to the endpoints of this client, never from another site. Scripts cannot read it. */
export function refreshCookie({ baseUrl }: Config, { path }: ProxiedClient) {
  const { protocol, pathname } = new URL(baseUrl);
  return {
    path: `${pathname.replace(/\/$/, '')}/v1/clients/${path}`,
    httpOnly: true,
    sameSite: 'strict',
    secure: protocol === 'https:',
  } as const;
}
