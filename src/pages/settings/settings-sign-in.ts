import { message } from '../../config/languages/message.ts';
import { findSignInMethods } from '../../identity/providers/sign-in-methods.ts';
import { userIdOf } from '../../platform/caller.ts';
import type { Variables } from '../kit/views.ts';
import type { PageKit, Visit } from '../kit/visit.ts';
import { labelOf, leave, type ProviderMeans, providerOf, showProviderFailure } from '../sign-in/provider-means.ts';
import { beginAtProvider } from '../sign-in/send-to-provider.ts';
import { asPerson, refusal, showSettings, wanted } from './settings-shell.ts';

interface Identity {
  readonly id: string;
  readonly provider: string;
  readonly email: string | null;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

const path = '/settings/sign-in';

/** *Ways to sign in*: the password, passkeys, and accounts at providers. Works without a script. */
export function serveWaysToSignIn(kit: PageKit, means: ProviderMeans): void {
  const show = async (visit: Visit, variables: Variables = {}) =>
    showSettings(visit, 'sign-in', 'settings/sign-in', {
      title: message('ways.title'),
      ...(await waysOf(visit, means)),
      ...variables,
    });

  kit.page(path, 'auth:web', show);

  kit.form(`${path}/:name/link`, 'auth:web', async (visit) => {
    const provider = await providerOf(means, visit);
    const { caller } = visit.request;
    await means.factors.guardChange(kit.database.db, caller);
    const { userId, sessionId } = caller;
    const beginning = { purpose: 'link', userId, sessionId, forwarded: {} } as const;
    const url = await beginAtProvider(visit, means, provider, beginning);
    const label = labelOf(provider);
    if (url) return leave(visit, url, label);
    return showProviderFailure(visit, { failure: 'down', label });
  });

  kit.form(`${path}/:id/remove`, 'auth:web', async (visit) => {
    const id = visit.param('id');
    const answer = await asPerson(visit, 'DELETE', `/v1/identities/${encodeURIComponent(id)}`);
    if (answer.ok || answer.status === 404) return visit.go(`${path}?done=identity-unlinked`);
    return show(visit.status(answer.status), refusal(answer, []));
  });
}

async function waysOf(visit: Visit, means: ProviderMeans): Promise<Variables> {
  const userId = userIdOf(visit.caller);
  const [identities, methods, buttons] = await Promise.all([
    wanted(asPerson<Identity[]>(visit, 'GET', '/v1/identities?limit=100')),
    findSignInMethods(visit.kit, visit.kit.database.db, userId),
    means.providers.buttons(),
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
