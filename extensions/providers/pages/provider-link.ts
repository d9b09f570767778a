import type { FastifyReply } from 'fastify';
import { message } from '../../../src/config/languages/message.ts';
import { createBrowserCookie } from '../../../src/http/browser-cookie.ts';
import { requestSource } from '../../../src/http/request-source.ts';
import type { PageKit, PageRequest } from '../../../src/pages/kit/page-request.ts';
import { showProviderRedirect } from '../../../src/pages/sign-in/end-session.ts';
import { type Caller, isSignedIn } from '../../../src/platform/caller.ts';
import { Problem } from '../../../src/platform/errors.ts';
import { parseJson } from '../../../src/platform/json-text.ts';
import { type Attempt, findPending, type PendingIdentity } from '../sign-in/attempt-store.ts';
import { linkIdentity, linkPendingIdentity } from '../sign-in/link-identity.ts';
import { resolveIdentity, signInRefused } from '../sign-in/resolve-identity.ts';
import {
  labelOf,
  nameIn,
  type ProviderResponse,
  type ProviderServices,
  providerOf,
  showProviderFailure,
} from './provider-services.ts';
import { linkPath, openProviderSession } from './provider-session.ts';
import { beginAtProvider } from './send-to-provider.ts';

const handleIn = (pageRequest: PageRequest): string => pageRequest.param('handle');

/** The page for a user whose email belongs to an existing account. After a sign-in to that account, the identity is linked. */
export function serveLinking(kit: PageKit, services: ProviderServices): void {
  const path = '/login/with/:name/link/:handle';
  kit.page(path, 'auth:web', async (pageRequest) => {
    const provider = await providerOf(services, pageRequest);
    const pending = await pendingOf(pageRequest, services);
    if (!pending) return showProviderFailure(pageRequest, { failure: 'expired', label: labelOf(provider) });
    if (pageRequest.caller.userId !== pending.user_id) {
      return showOtherAccount(pageRequest, labelOf(provider), pending);
    }
    try {
      return await link(pageRequest, services, pending);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'proof_too_old') throw error;
    }
    // The form of this page asks for the missing proof.
    return pageRequest.show('provider-link', {
      title: message('provider.link.title'),
      label: labelOf(provider),
      action: linkPath(provider, handleIn(pageRequest)),
    });
  });
  kit.form(path, 'auth:web', async (pageRequest) => {
    const provider = await providerOf(services, pageRequest);
    const pending = await pendingOf(pageRequest, services);
    if (!pending) return showProviderFailure(pageRequest, { failure: 'expired', label: labelOf(provider) });
    return link(pageRequest, services, pending);
  });
  kit.form('/settings/sign-in/:name/link', 'auth:web', (pageRequest) => beginLinking(pageRequest, services));
}

/** The identity that waits for its owner's proof. */
async function pendingOf(pageRequest: PageRequest, { context }: ProviderServices) {
  const { visitor } = pageRequest.kit.cookies.read(pageRequest.request);
  if (!visitor) return undefined;
  const [provider, handle] = [nameIn(pageRequest), handleIn(pageRequest)];
  return findPending(context.database.db, { handle, visitor, provider, now: context.now() });
}

const showOtherAccount = (pageRequest: PageRequest, label: string, { next }: PendingIdentity) =>
  showProviderFailure(pageRequest, { failure: 'other_account', label, next });

async function link(pageRequest: PageRequest, services: ProviderServices, pending: PendingIdentity) {
  const { context, accounts } = services;
  const provider = await providerOf(services, pageRequest);
  const upstream = parseJson(pending.upstream);
  const source = createBrowserCookie(pageRequest.kit.config).requestSource(pageRequest.request);
  await linkPendingIdentity(context, services, pending, { caller: pageRequest.caller, upstream, source });
  // From here on it is a normal sign-in, which also maps the claims.
  const resolved = await resolveIdentity(context, accounts, provider.definition, { upstream, source });
  if (resolved.kind !== 'user') throw signInRefused('the identity was unlinked meanwhile');
  return openProviderSession(pageRequest, services, { resolved, upstream, client: pending.client, next: pending.next });
}

/** The session that began the attempt, in the same browser. */
export async function callerOf(pageRequest: PageRequest, attempt: Attempt): Promise<Caller | undefined> {
  const caller = await pageRequest.findCaller();
  const isSame = caller && isSignedIn(caller) && caller.userId === attempt.user_id;
  return isSame && caller.sessionId === attempt.session_id ? caller : undefined;
}

/** The user adds a provider in the settings. */
async function beginLinking(pageRequest: PageRequest, services: ProviderServices): Promise<FastifyReply> {
  const provider = await providerOf(services, pageRequest);
  const { caller } = pageRequest.request;
  await services.factors.guardChange(pageRequest.kit.database.db, caller);
  const { userId, sessionId } = caller;
  const beginning = { purpose: 'link', userId, sessionId, forwarded: {} } as const;
  const url = await beginAtProvider(pageRequest, services, provider, beginning);
  const label = labelOf(provider);
  if (url) return showProviderRedirect(pageRequest, { url, label });
  return showProviderFailure(pageRequest, { failure: 'down', label });
}

/** The response of a provider that the user adds in the settings. */
export async function finishLinking(
  pageRequest: PageRequest,
  services: ProviderServices,
  providerResponse: ProviderResponse,
): Promise<FastifyReply> {
  const caller = await callerOf(pageRequest, providerResponse.attempt);
  const label = labelOf(providerResponse.provider);
  if (!caller) return showProviderFailure(pageRequest, { failure: 'expired', label });
  const { upstream } = providerResponse;
  try {
    await linkIdentity(services.context, services, { caller, upstream, source: requestSource(pageRequest.request) });
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'identity_taken') throw error;
    return showProviderFailure(pageRequest, { failure: 'identity_taken', label });
  }
  return pageRequest.redirect('/settings/sign-in?done=identity-linked');
}
