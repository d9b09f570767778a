import { message } from '../../src/config/languages/message.ts';
import { findSignInMethods } from '../../src/identity/providers/sign-in-methods.ts';
import type { Page, PageRequest } from '../../src/pages/kit/page-request.ts';
import type { Variables } from '../../src/pages/kit/views.ts';
import { userIdOf } from '../../src/platform/caller.ts';
import { findOwnRow, formErrors, ownRows, showSettings } from './settings-shell.ts';

/** *Ways to sign in*: the password, passkeys, and accounts at providers. Works without a script. */
export const showSignInMethods = async (pageRequest: PageRequest, variables: Variables = {}) =>
  showSettings(pageRequest, 'sign-in', 'settings/sign-in', {
    title: message('ways.title'),
    ...(await signInMethodsOf(pageRequest)),
    ...variables,
  });

export async function removeIdentity(pageRequest: PageRequest): Page {
  const identity = await findOwnRow<{ id: string }>(pageRequest, 'identities');
  const response = identity && (await pageRequest.callAsUser('DELETE', `/v1/identities/${identity.id}`));
  if (!response || response.ok || response.status === 404)
    return pageRequest.redirect('/settings/sign-in?done=identity-unlinked');
  return showSignInMethods(pageRequest.statusOf(response), formErrors(response, []));
}

async function signInMethodsOf(pageRequest: PageRequest): Promise<Variables> {
  const userId = userIdOf(pageRequest.caller);
  const [identities, methods, buttons] = await Promise.all([
    ownRows<{ provider: string }>(pageRequest, 'identities'),
    findSignInMethods(pageRequest.kit, pageRequest.kit.database.db, userId),
    pageRequest.kit.providers.buttons(),
  ]);
  const labels = new Map(buttons.map(({ name, label }) => [name, label]));
  return {
    has_password: methods.password,
    passkeys: methods.passkeys,
    identities: identities.map((each) => ({ ...each, label: labels.get(each.provider) ?? each.provider })),
    providers: buttons,
  };
}
