import type { FastifyReply, FastifyRequest } from 'fastify';
import { message } from '../../config/languages/message.ts';
import { createBrowserCookie } from '../../http/browser-cookie.ts';
import { requestSource } from '../../http/request-source.ts';
import { type Attempt, findPending, type PendingIdentity } from '../../identity/providers/attempt-store.ts';
import { linkIdentity, linkPendingIdentity } from '../../identity/providers/link-identity.ts';
import { resolveIdentity, signInRefused } from '../../identity/providers/resolve-identity.ts';
import type { Upstream } from '../../identity/providers/upstream.ts';
import { type Caller, isSignedIn } from '../../platform/caller.ts';
import { Problem } from '../../platform/errors.ts';
import type { PageKit } from '../kit/page-kit.ts';
import {
  type Answered,
  labelOf,
  nameIn,
  type ProviderMeans,
  providerOf,
  showProviderFailure,
} from './provider-means.ts';
import { enter, linkPath } from './provider-session.ts';

const handleIn = (request: FastifyRequest): string => (request.params as { handle: string }).handle;

/** The page for somebody whose email another account here has: once signed in to that account, the two are linked. */
export function serveLinking(kit: PageKit, means: ProviderMeans): void {
  const path = '/login/with/:name/link/:handle';
  kit.page(path, 'auth:web', async (request, reply) => {
    const provider = await providerOf(means, request);
    const pending = await pendingOf(kit, means, request);
    if (!pending) return showProviderFailure(kit, request, reply, { failure: 'expired', label: labelOf(provider) });
    const { userId, proof } = request.caller;
    if (userId !== pending.user_id) return showOtherAccount(kit, request, reply, labelOf(provider), pending);
    if (proof.time !== null && proof.time >= pending.created_at) return link(kit, means, request, reply, pending);
    return kit.show(request, reply, 'provider-link', {
      title: message('provider.link.title'),
      label: labelOf(provider),
      action: linkPath(provider, handleIn(request)),
    });
  });
  kit.form(path, 'auth:web', async (request, reply) => {
    const provider = await providerOf(means, request);
    const pending = await pendingOf(kit, means, request);
    if (!pending) return showProviderFailure(kit, request, reply, { failure: 'expired', label: labelOf(provider) });
    return link(kit, means, request, reply, pending);
  });
}

/** The identity that waits for its owner's proof. */
export async function pendingOf(
  kit: PageKit,
  { context }: ProviderMeans,
  request: FastifyRequest,
  { provider = nameIn(request), handle = handleIn(request) } = {},
): Promise<PendingIdentity | undefined> {
  const { visitor } = kit.cookies.read(request);
  if (!visitor) return undefined;
  return findPending(context.database.db, { handle, visitor, provider, now: context.now() });
}

const showOtherAccount = (
  kit: PageKit,
  request: FastifyRequest,
  reply: FastifyReply,
  label: string,
  { next }: PendingIdentity,
) => showProviderFailure(kit, request, reply, { failure: 'other_account', label, next });

async function link(
  kit: PageKit,
  means: ProviderMeans,
  request: FastifyRequest,
  reply: FastifyReply,
  pending: PendingIdentity,
): Promise<FastifyReply> {
  const { context, accounts } = means;
  const provider = await providerOf(means, request);
  const upstream = JSON.parse(pending.upstream) as Upstream;
  const source = createBrowserCookie(kit.config).requestSource(request);
  await linkPendingIdentity(context, means, pending, { caller: request.caller, upstream, source });
  // From here on it is a sign-in like any other, which maps the claims too.
  const resolved = await resolveIdentity(context, accounts, provider.definition, { upstream, source });
  if (resolved.kind !== 'user') throw signInRefused('the identity was unlinked meanwhile');
  return enter(kit, means, request, reply, { resolved, upstream, client: pending.client, next: pending.next });
}

/** The session that began the attempt, in this very browser. */
export async function callerOf(
  kit: PageKit,
  request: FastifyRequest,
  reply: FastifyReply,
  attempt: Attempt,
): Promise<Caller | undefined> {
  const caller = await kit.webSessions.find(request, reply);
  const isSame = caller && isSignedIn(caller) && caller.userId === attempt.user_id;
  return isSame && caller.sessionId === attempt.session_id ? caller : undefined;
}

/** Back from a provider that is to be added in the settings. */
export async function finishLinking(
  kit: PageKit,
  means: ProviderMeans,
  request: FastifyRequest,
  reply: FastifyReply,
  answered: Answered,
): Promise<FastifyReply> {
  const caller = await callerOf(kit, request, reply, answered.attempt);
  const label = labelOf(answered.provider);
  if (!caller) return showProviderFailure(kit, request, reply, { failure: 'expired', label });
  const { upstream } = answered;
  try {
    await linkIdentity(means.context, means, { caller, upstream, source: requestSource(request) });
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'identity_taken') throw error;
    return showProviderFailure(kit, request, reply, { failure: 'identity_taken', label });
  }
  return kit.go(reply, '/settings/sign-in?done=identity-linked');
}
