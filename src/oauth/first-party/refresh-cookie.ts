import type { Config, ProxiedClient } from '../../config/config.ts';

export const refreshCookieName = 'refreshToken';

/** Sent back to this client's own endpoints only, never to scripts, and never from another site. */
export function refreshCookie({ baseUrl }: Config, { path }: ProxiedClient) {
  const { protocol, pathname } = new URL(baseUrl);
  return {
    path: `${pathname.replace(/\/$/, '')}/v1/clients/${path}`,
    httpOnly: true,
    sameSite: 'strict',
    secure: protocol === 'https:',
  } as const;
}
