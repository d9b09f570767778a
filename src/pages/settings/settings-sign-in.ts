import { message } from '../../config/languages/message.ts';
import { findSignInMethods } from '../../identity/providers/sign-in-methods.ts';
import { userIdOf } from '../../platform/caller.ts';
import type { Variables } from '../kit/views.ts';
import type { PageKit, Visit } from '../kit/visit.ts';
import {
  labelOf,
  type ProviderServices,
  providerOf,
  showProviderFailure,
  showProviderRedirect,
} from '../sign-in/provider-services.ts';
import { beginAtProvider } from '../sign-in/send-to-provider.ts';
import { callApiAsUser, formErrors, requireOk, showSettings } from './settings-shell.ts';

interface Identity {
  readonly id: string;
  readonly provider: string;
  readonly email: string | null;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

const path = '/settings/sign-in';

/** *Ways to sign in*: the password, passkeys, and accounts at providers. Works without a script. */
export function serveSignInMethods(kit: PageKit, services: ProviderServices): void {
  const show = async (visit: Visit, variables: Variables = {}) =>
    showSettings(visit, 'sign-in', 'settings/sign-in', {
      title: message('ways.title'),
      ...(await signInMethodsOf(visit, services)),
      ...variables,
    });

  kit.page(path, 'auth:web', show);

  kit.form(`${path}/:name/link`, 'auth:web', async (visit) => {
    const provider = await providerOf(services, visit);
    const { caller } = visit.request;
    await services.factors.guardChange(kit.database.db, caller);
    const { userId, sessionId } = caller;
    const beginning = { purpose: 'link', userId, sessionId, forwarded: {} } as const;
    const url = await beginAtProvider(visit, services, provider, beginning);
    const label = labelOf(provider);
    if (url) return showProviderRedirect(visit, url, label);
    return showProviderFailure(visit, { failure: 'down', label });
  });

  kit.form(`${path}/:id/remove`, 'auth:web', async (visit) => {
    const id = visit.param('id');
    const answer = await callApiAsUser(visit, 'DELETE', `/v1/identities/${encodeURIComponent(id)}`);
    if (answer.ok || answer.status === 404) return visit.redirect(`${path}?done=identity-unlinked`);
    return show(visit.status(answer.status), formErrors(answer, []));
  });
}

async function signInMethodsOf(visit: Visit, services: ProviderServices): Promise<Variables> {
  const userId = userIdOf(visit.caller);
  const [identities, methods, buttons] = await Promise.all([
    requireOk(callApiAsUser<Identity[]>(visit, 'GET', '/v1/identities?limit=100')),
    findSignInMethods(visit.kit, visit.kit.database.db, userId),
    services.providers.buttons(),
  ]);
  const labels = new Map(buttons.map(({ name, label }) => [name, label]));
  const own = identities.filter((each) => (each as Identity & { user_id: string }).user_id === userId);
  return {
    has_password: methods.password,
    passkeys: methods.passkeys,
    identities: own.map((each) => ({ ...each, label: labels.get(each.provider) ?? each.provider })),
    providers: buttons,
  };
}
