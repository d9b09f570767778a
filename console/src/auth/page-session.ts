import { errorOf, SignedOutError, UnreachableError } from '../../../client/errors.ts';
import type { TokenResponse } from '../../../client/login.ts';
import type { Fetch } from '../../../client/transport.ts';
import { translate } from '../text/translate.ts';

/** Returns the access token of this page's session. Without a session, the service redirects to its login page. */
export async function tokenOfPage(root: string, fetch: Fetch): Promise<TokenResponse> {
  let response: Response;
  try {
    response = await fetch(`${root}/admin/token`, {
      method: 'POST',
      redirect: 'manual',
      headers: { Accept: 'application/json' },
    });
  } catch (cause) {
    throw new UnreachableError(translate('The service cannot be reached.'), { status: 0, code: 'unreachable', cause });
  }
  if (response.type === 'opaqueredirect' || [302, 303, 401, 403].includes(response.status)) {
    throw new SignedOutError(translate('Your session is over.'), { status: 401, code: 'signed_out' });
  }
  const body: TokenResponse | undefined = await response.json().catch(() => undefined);
  if (!response.ok || body === undefined) throw errorOf(response, body);
  recordOwnSession(body.access_token);
  return body;
}

let ownSessionId: string | undefined;

/** Remembers the session of the console's access token, so that lists can mark it. */
function recordOwnSession(accessToken: string): void {
  try {
    const part = accessToken.split('.')[1] ?? '';
    const claims: { sid?: string } = JSON.parse(atob(part.replace(/-/g, '+').replace(/_/g, '/')));
    ownSessionId = claims.sid;
  } catch {
    ownSessionId = undefined;
  }
}

export const isOwnSession = (id: unknown): boolean => ownSessionId !== undefined && ownSessionId === id;
