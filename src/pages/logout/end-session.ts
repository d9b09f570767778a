import { providerOfSession } from '../../identity/providers/identity-store.ts';
import type { Providers } from '../../identity/providers/providers.ts';
import type { PageKit, PageRequest } from '../kit/page-request.ts';
import { internalTokenOf } from '../session/authenticate-web.ts';
import { callApi } from '../session/call-api.ts';

/** The address that also ends the session at a provider. */
export interface UpstreamLogout {
  readonly label: string;
  readonly url: URL;
}

export const signedOutPath = ({ loginPath }: PageKit): string => `${loginPath}?done=signed-out`;

/** Ends the session on every instance. Returns the logout address of its provider, if the provider declares `logout: true`. */
export async function endSession(pageRequest: PageRequest, providers: Providers): Promise<UpstreamLogout | undefined> {
  const name = await providerOfSession(pageRequest.kit.database.db, pageRequest.caller.sessionId ?? '');
  const provider = name === undefined ? undefined : await providers.find(name);
  await callApi(pageRequest.request, {
    method: 'DELETE',
    path: '/v1/logout',
    token: internalTokenOf(pageRequest.request),
  });
  pageRequest.kit.cookies.clearSession(pageRequest.reply);
  const url = await provider
    ?.logoutUrl(pageRequest.kit.config.baseUrl + signedOutPath(pageRequest.kit))
    .catch(() => undefined);
  return provider && url && { label: provider.button.label, url };
}
