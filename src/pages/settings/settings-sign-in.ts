import type { FastifyReply, FastifyRequest } from 'fastify';
import { message } from '../../config/languages/message.ts';
import { findSignInMethods } from '../../identity/providers/sign-in-methods.ts';
import { userIdOf } from '../../platform/caller.ts';
import type { PageKit } from '../kit/page-kit.ts';
import type { Variables } from '../kit/views.ts';
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

/** *Ways to sign in*: the password, passkeys, and the accounts at providers. Works without a script. */
export function serveWaysToSignIn(kit: PageKit, means: ProviderMeans): void {
  const show = async (request: FastifyRequest, reply: FastifyReply, variables: Variables = {}) =>
    showSettings(kit, request, reply, 'sign-in', 'settings/sign-in', {
      title: message('ways.title'),
      ...(await waysOf(kit, means, request)),
      ...variables,
    });

  kit.page(path, 'auth:web', (request, reply) => show(request, reply));

  kit.form(`${path}/:name/link`, 'auth:web', async (request, reply) => {
    const provider = await providerOf(means, request);
    const { caller } = request;
    await means.factors.guardChange(kit.database.db, caller);
    const { userId, sessionId } = caller;
    const beginning = { purpose: 'link', userId, sessionId, passedOn: {} } as const;
    const url = await beginAtProvider(kit, means, request, reply, provider, beginning);
    const label = labelOf(provider);
    if (url) return leave(kit, request, reply, url, label);
    return showProviderFailure(kit, request, reply, { failure: 'down', label });
  });

  kit.form(`${path}/:id/remove`, 'auth:web', async (request, reply) => {
    const { id } = request.params as { id: string };
    const answer = await asPerson(request, 'DELETE', `/v1/identities/${encodeURIComponent(id)}`);
    if (answer.ok || answer.status === 404) return kit.go(reply, `${path}?done=identity-unlinked`);
    return show(request, reply.code(answer.status), refusal(answer, []));
  });
}

async function waysOf(kit: PageKit, means: ProviderMeans, request: FastifyRequest): Promise<Variables> {
  const userId = userIdOf(request.caller);
  const [identities, methods, buttons] = await Promise.all([
    wanted(asPerson<Identity[]>(request, 'GET', '/v1/identities?limit=100')),
    findSignInMethods(kit, kit.database.db, userId),
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
