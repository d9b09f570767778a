import type { FastifyReply } from 'fastify';
import { message } from '../../config/languages/message.ts';
import { createBrowserCookie } from '../../http/browser-cookie.ts';
import { requestSource } from '../../http/request-source.ts';
import { type Attempt, findPending, type PendingIdentity } from '../../identity/providers/attempt-store.ts';
import { linkIdentity, linkPendingIdentity } from '../../identity/providers/link-identity.ts';
import { resolveIdentity, signInRefused } from '../../identity/providers/resolve-identity.ts';
import { type Caller, isSignedIn } from '../../platform/caller.ts';
import { Problem } from '../../platform/errors.ts';
import { parseJson } from '../../platform/json-text.ts';
import type { PageKit, PageRequest } from '../kit/page-request.ts';
import {
  labelOf,
  nameIn,
  type ProviderResponse,
  type ProviderServices,
  providerOf,
  showProviderFailure,
} from './provider-services.ts';
import { linkPath, openProviderSession } from './provider-session.ts';

const handleIn = (pageRequest: PageRequest): string => pageRequest.param('handle');

/** The page for a user whose email belongs to an existing account. After a sign-in to that account, the identity is linked. */
export function serveLinking(kit: PageKit, services: ProviderServices): void {
  const path = '/login/with/:name/link/:handle';
  kit.page(path, 'auth:web', async (pageRequest) => {
    const provider = await providerOf(services, pageRequest);
    const pending = await pendingOf(pageRequest, services);
    if (!pending) return showProviderFailure(pageRequest, { failure: 'expired', label: labelOf(provider) });
    const { userId, proof } = pageRequest.caller;
    if (userId !== pending.user_id) return showOtherAccount(pageRequest, labelOf(provider), pending);
    if (proof.time !== null && proof.time >= pending.created_at) return link(pageRequest, services, pending);
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
}

/** The identity that waits for its owner's proof. */
export async function pendingOf(
  pageRequest: PageRequest,
  { context }: ProviderServices,
  { provider = nameIn(pageRequest), handle = handleIn(pageRequest) } = {},
): Promise<PendingIdentity | undefined> {
  const { visitor } = pageRequest.kit.cookies.read(pageRequest.request);
  if (!visitor) return undefined;
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
