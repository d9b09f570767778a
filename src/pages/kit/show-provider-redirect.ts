import { message } from '../../config/languages/message.ts';
import type { ProviderAddress } from '../../identity/providers/sign-in-providers.ts';
import type { PageRequest } from './page-request.ts';

/** Leaves to another site after a form: browsers apply `form-action` to redirects, so a page does the redirect. */
export const showProviderRedirect = (pageRequest: PageRequest, { url, label }: ProviderAddress) =>
  pageRequest.show('provider-go', {
    title: message('provider.going.title', { provider: label }),
    label: message('provider.going.link', { provider: label }),
    uri: url.href,
  });
