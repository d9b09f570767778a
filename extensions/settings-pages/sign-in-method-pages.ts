import { message } from '../../src/config/languages/message.ts';
import { findSignInMethods } from '../../src/identity/providers/sign-in-methods.ts';
import type { Page, PageRequest } from '../../src/pages/kit/page-request.ts';
import type { Variables } from '../../src/pages/kit/views.ts';
import { userIdOf } from '../../src/platform/caller.ts';
import { formErrors, requireOk, showSettings } from './settings-shell.ts';

/** *Ways to sign in*: the password, passkeys, and accounts at providers. Works without a script. */
export const showSignInMethods = async (pageRequest: PageRequest, variables: Variables = {}) =>
  showSettings(pageRequest, 'sign-in', 'settings/sign-in', {
    title: message('ways.title'),
    ...(await signInMethodsOf(pageRequest)),
    ...variables,
  });

export async function removeIdentity(pageRequest: PageRequest): Page {
  const id = pageRequest.param('id');
  const response = await pageRequest.callAsUser('DELETE', `/v1/identities/${encodeURIComponent(id)}`);
  if (response.ok || response.status === 404) return pageRequest.redirect('/settings/sign-in?done=identity-unlinked');
  return showSignInMethods(pageRequest.statusOf(response), formErrors(response, []));
}

async function signInMethodsOf(pageRequest: PageRequest): Promise<Variables> {
  const userId = userIdOf(pageRequest.caller);
  const [identities, methods, buttons] = await Promise.all([
    requireOk(pageRequest.callAsUser<{ user_id: string; provider: string }[]>('GET', '/v1/identities?limit=100')),
    findSignInMethods(pageRequest.kit, pageRequest.kit.database.db, userId),
    pageRequest.kit.providers.buttons(),
  ]);
  const labels = new Map(buttons.map(({ name, label }) => [name, label]));
  const ownIdentities = identities.filter(({ user_id }) => user_id === userId);
  return {
    has_password: methods.password,
    passkeys: methods.passkeys,
    identities: ownIdentities.map((each) => ({ ...each, label: labels.get(each.provider) ?? each.provider })),
    providers: buttons,
  };
}
