import type { FastifyReply } from 'fastify';
import { message } from '../../../src/config/languages/message.ts';
import { requireProof } from '../../../src/http/gate/require-proof.ts';
import { makeProviderProof } from '../../../src/identity/providers/provider-proof.ts';
import type { PageKit, PageRequest } from '../../../src/pages/kit/page-request.ts';
import { askForProof, renewProofByForm } from '../../../src/pages/kit/with-step-up.ts';
import { mayBeOwnPage } from '../../../src/pages/session/csrf.ts';
import type { ProviderClient } from '../client/provider-client.ts';
import { findIdentity } from '../sign-in/identity-store.ts';
import { callerOf } from './provider-link.ts';
import {
  labelOf,
  type ProviderResponse,
  type ProviderServices,
  providerOf,
  showProviderFailure,
} from './provider-services.ts';
import { sendToProvider } from './send-to-provider.ts';

/** The maximum age of a sign-in at the provider that renews the proof of a session here. */
const freshMs = 5 * 60_000;

/** Renews a proof at a provider, in a separate tab, so that a form in another tab keeps its values. */
export function serveProving(kit: PageKit, services: ProviderServices): void {
  const path = '/login/with/:name/prove';
  kit.page(path, 'auth:web', async (pageRequest) => {
    const provider = await providerOf(services, pageRequest);
    // A link elsewhere must not renew the proof: the user may not notice, and the session may be stolen.
    const { headers } = pageRequest.request;
    if (headers['sec-fetch-site'] === 'none' || !mayBeOwnPage(pageRequest.request, kit.config)) {
      return pageRequest.show('message', {
        title: message('prove.title'),
        action: { label: message('prove.with', { provider: labelOf(provider) }), path: provePath(provider) },
      });
    }
    const { userId, sessionId } = pageRequest.caller;
    const forwarded = { prompt: 'login', maxAge: 0 };
    return sendToProvider(pageRequest, services, provider, { purpose: 'prove', userId, sessionId, forwarded });
  });
  // The second factor, if the provider alone was not enough. The form contains both (`withStepUp`).
  kit.form(path, 'auth:web', async (pageRequest) => {
    requireProof(pageRequest.caller, kit.now());
    return showProved(pageRequest);
  });
}

/** The callback of the provider: requires an identity of this user and a new sign-in at the provider. */
export async function finishProving(
  pageRequest: PageRequest,
  { context, oauth }: ProviderServices,
  providerResponse: ProviderResponse,
): Promise<FastifyReply> {
  const { upstream, provider } = providerResponse;
  const label = labelOf(provider);
  const caller = await callerOf(pageRequest, providerResponse.attempt);
  if (!caller?.sessionId) return showProviderFailure(pageRequest, { failure: 'expired', label });
  const identity = await findIdentity(context.database.db, upstream);
  if (identity?.user_id !== caller.userId) return showProviderFailure(pageRequest, { failure: 'other_account', label });
  if (upstream.authTime !== null && context.now() - upstream.authTime >= freshMs) {
    return showProviderFailure(pageRequest, { failure: 'login_required', label });
  }
  pageRequest.request.caller = caller;
  const proof_provider = makeProviderProof(oauth.keys, caller.sessionId, upstream.factors, context.now());
  const response = await renewProofByForm(pageRequest.request, { provider: proof_provider });
  if (response.ok) return showProved(pageRequest);
  if (response.code !== 'proof_too_old') return showProviderFailure(pageRequest, { failure: 'expired', label });
  // A user who signed in with two factors must prove the second factor too.
  const variables = { action: provePath(provider), about: message('prove.second') };
  return askForProof(pageRequest, { proof_provider }, variables);
}

const provePath = ({ definition: { name } }: ProviderClient): string => `/login/with/${name}/prove`;

const showProved = (pageRequest: PageRequest): Promise<FastifyReply> =>
  pageRequest.show('message', {
    title: message('provider.proved.title'),
    lines: [message('provider.proved.about')],
    action: { label: message('common.continue'), path: '/settings' },
  });
