import type { FastifyReply, FastifyRequest } from 'fastify';
import { message } from '../../config/languages/message.ts';
import { requireProof } from '../../http/gate/require-proof.ts';
import { findIdentity } from '../../identity/providers/identity-store.ts';
import type { ProviderClient } from '../../identity/providers/provider-client.ts';
import { makeProviderProof } from '../../identity/providers/provider-proof.ts';
import type { PageKit } from '../kit/page-kit.ts';
import { askForProof, proveBy } from '../kit/prove-in-place.ts';
import { callerOf } from './provider-link.ts';
import { type Answered, labelOf, type ProviderMeans, providerOf, showProviderFailure } from './provider-means.ts';
import { sendToProvider } from './send-to-provider.ts';

/** So old a proof at the provider may be when it renews the proof of a session here. */
const freshMs = 5 * 60_000;

/** Somebody proves again at a provider who they are: in a tab of its own, so that a form in another tab keeps what was typed. */
export function serveProving(kit: PageKit, means: ProviderMeans): void {
  const path = '/login/with/:name/prove';
  kit.page(path, 'auth:web', async (request, reply) => {
    const provider = await providerOf(means, request);
    const { userId, sessionId } = request.caller;
    const passedOn = { prompt: 'login', maxAge: 0 };
    return sendToProvider(kit, means, request, reply, provider, { purpose: 'prove', userId, sessionId, passedOn });
  });
  // The second factor, where the provider alone was not enough. The form holds both (`provingInPlace`).
  kit.form(path, 'auth:web', async (request, reply) => {
    requireProof(request.caller, kit.now());
    return showProved(kit, request, reply);
  });
}

/** Back from the provider: requires an identity of this user and a new proof, not one of an old session. */
export async function finishProving(
  kit: PageKit,
  { context, oauth }: ProviderMeans,
  request: FastifyRequest,
  reply: FastifyReply,
  answered: Answered,
): Promise<FastifyReply> {
  const { upstream, provider } = answered;
  const label = labelOf(provider);
  const caller = await callerOf(kit, request, reply, answered.attempt);
  if (!caller?.sessionId) return showProviderFailure(kit, request, reply, { failure: 'expired', label });
  const identity = await findIdentity(context.database.db, upstream);
  if (identity?.user_id !== caller.userId) {
    return showProviderFailure(kit, request, reply, { failure: 'other_account', label });
  }
  if (upstream.authTime !== null && context.now() - upstream.authTime >= freshMs) {
    return showProviderFailure(kit, request, reply, { failure: 'login_required', label });
  }
  request.caller = caller;
  const proof_provider = makeProviderProof(oauth.keys, caller.sessionId, upstream.factors, context.now());
  const answer = await proveBy(request, { provider: proof_provider });
  if (answer.ok) return showProved(kit, request, reply);
  if (answer.code !== 'proof_too_old') return showProviderFailure(kit, request, reply, { failure: 'expired', label });
  // A user who signed in with two factors proves the second one too.
  const variables = { action: provePath(provider), about: message('prove.second') };
  return askForProof(kit, request, reply, { proof_provider }, variables);
}

const provePath = ({ definition: { name } }: ProviderClient): string => `/login/with/${name}/prove`;

const showProved = (kit: PageKit, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
  kit.show(request, reply, 'message', {
    title: message('provider.proved.title'),
    lines: [message('provider.proved.about')],
    action: { label: message('common.continue'), path: '/settings' },
  });
