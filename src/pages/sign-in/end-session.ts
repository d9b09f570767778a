import { message } from '../../config/languages/message.ts';
import { providerOfSession } from '../../identity/providers/identity-store.ts';
import type { ProviderAddress } from '../../identity/providers/sign-in-providers.ts';
import type { PageKit, PageRequest } from '../kit/page-request.ts';

export const signedOutPath = ({ loginPath }: PageKit): string => `${loginPath}?done=signed-out`;

/** Ends the session on every instance. Returns the logout address of its provider, if the provider declares `logout: true`. */
export async function endSession(pageRequest: PageRequest): Promise<ProviderAddress | undefined> {
  const { kit } = pageRequest;
  const provider = await providerOfSession(kit.database.db, pageRequest.caller.sessionId ?? '');
  await pageRequest.callAsUser('DELETE', '/v1/logout');
  kit.cookies.clearSession(pageRequest.reply);
  return provider === undefined
    ? undefined
    : kit.providers.findLogout(provider, kit.config.baseUrl + signedOutPath(kit));
}

/** Leaves to another site after a form: browsers apply `form-action` to redirects, so a page does the redirect. */
export const showProviderRedirect = (pageRequest: PageRequest, { url, label }: ProviderAddress) =>
  pageRequest.show('provider-go', {
    title: message('provider.going.title', { provider: label }),
    label: message('provider.going.link', { provider: label }),
    uri: url.href,
  });
