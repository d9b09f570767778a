import { message } from '../../config/languages/message.ts';
import { findSignInMethods } from '../../identity/providers/sign-in-methods.ts';
import { userIdOf } from '../../platform/caller.ts';
import type { PageKit, PageRequest } from '../kit/page-request.ts';
import type { Variables } from '../kit/views.ts';
import { formErrors, requireOk, showSettings } from './settings-shell.ts';

const path = '/settings/sign-in';

/** *Ways to sign in*: the password, passkeys, and accounts at providers. Works without a script. */
export function serveSignInMethods(kit: PageKit): void {
  const show = async (pageRequest: PageRequest, variables: Variables = {}) =>
    showSettings(pageRequest, 'sign-in', 'settings/sign-in', {
      title: message('ways.title'),
      ...(await signInMethodsOf(pageRequest)),
      ...variables,
    });

  kit.page(path, 'auth:web', show);

  kit.form(`${path}/:id/remove`, 'auth:web', async (pageRequest) => {
    const id = pageRequest.param('id');
    const response = await pageRequest.callAsUser('DELETE', `/v1/identities/${encodeURIComponent(id)}`);
    if (response.ok || response.status === 404) return pageRequest.redirect(`${path}?done=identity-unlinked`);
    return show(pageRequest.status(response.status), formErrors(response, []));
  });
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
