let ownSessionId: string | undefined;

/** Remembers the session of the console's access token, so that lists can mark it. */
export function recordOwnSession(accessToken: string): void {
  try {
    const part = accessToken.split('.')[1] ?? '';
    const claims: { sid?: string } = JSON.parse(atob(part.replace(/-/g, '+').replace(/_/g, '/')));
    ownSessionId = claims.sid;
  } catch {
    ownSessionId = undefined;
  }
}

export const isOwnSession = (id: unknown): boolean => ownSessionId !== undefined && ownSessionId === id;
