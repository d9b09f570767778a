import type { FastifyReply } from 'fastify';
import type { ProxiedClient } from '../../../src/config/config.ts';
import { createBrowserCookie } from '../../../src/http/browser-cookie.ts';
import { unconfirmedEmail } from '../../../src/identity/credentials/require-confirmed-email.ts';
import { refreshCookie, refreshCookieName } from '../../../src/oauth/first-party/proxy-routes.ts';
import type { IssuedTokens } from '../../../src/oauth/token-endpoint.ts';
import { findDestination } from '../../../src/pages/authorize/destinations.ts';
import type { PageKit, PageRequest } from '../../../src/pages/kit/page-request.ts';
import { loginClientOf } from '../../../src/pages/session/call-api.ts';
import type { Tokens } from '../../../src/pages/session/cookies.ts';
import { visitorOf } from '../../../src/pages/session/csrf.ts';
import { nextQuery } from '../../../src/pages/session/local-path.ts';
import { isMfaRequired, showSecondStep, startSession } from '../../../src/pages/sign-in/second-step.ts';
import { OAuthError } from '../../../src/platform/errors.ts';
import type { ProviderClient } from '../client/provider-client.ts';
import type { Upstream } from '../client/upstream.ts';
import { acceptInvitation } from '../sign-in/accept-invitation.ts';
import { fingerprint, insertPending, randomHandle } from '../sign-in/attempt-store.ts';
import { logInByProvider } from '../sign-in/provider-login.ts';
import { type ResolvedIdentity, resolveIdentity } from '../sign-in/resolve-identity.ts';
import type { ProviderResponse, ProviderServices } from './provider-services.ts';

const pendingLifeMs = 15 * 60_000;

/** Completes a sign-in with a provider. */
export async function finishSignIn(
  pageRequest: PageRequest,
  services: ProviderServices,
  { provider, attempt, upstream }: ProviderResponse,
): Promise<FastifyReply> {
  const { context, accounts } = services;
  const source = createBrowserCookie(pageRequest.kit.config).requestSource(pageRequest.request);
  const { invitation: linkId } = attempt;
  if (linkId !== null) await acceptInvitation(context, accounts, { linkId, upstream, source });
  const resolved = await resolveIdentity(context, accounts, provider.definition, { upstream, source });
  if (resolved.kind === 'user') return openProviderSession(pageRequest, services, { ...attempt, resolved, upstream });
  const handle = randomHandle();
  const now = context.now();
  await insertPending(context.database.db, {
    id: fingerprint(handle),
    user_id: resolved.user.id,
    provider: provider.definition.name,
    visitor: fingerprint(visitorOf(pageRequest.kit.cookies, pageRequest.request, pageRequest.reply)),
    upstream: JSON.stringify(upstream),
    client: attempt.client,
    next: attempt.next,
    created_at: now,
    expires_at: now + pendingLifeMs,
  });
  return pageRequest.redirect(linkPath(provider, handle));
}

/** The page where the owner of a taken email proves to own the account. */
export const linkPath = ({ definition }: ProviderClient, handle: string): string =>
  `/login/with/${definition.name}/link/${handle}`;

interface ProviderSignIn {
  readonly resolved: Extract<ResolvedIdentity, { kind: 'user' }>;
  readonly upstream: Upstream;
  readonly client: string | null;
  readonly next: string | null;
}

/** Opens the session: of the pages, or of the first-party client that began the sign-in. */
export async function openProviderSession(
  pageRequest: PageRequest,
  services: ProviderServices,
  { resolved, upstream, client, next }: ProviderSignIn,
): Promise<FastifyReply> {
  const path = client ?? loginClientOf(pageRequest.kit.config);
  const proxied = services.proxiedClients.find((each) => each.path === path) as ProxiedClient;
  const knownBrowsers = createBrowserCookie(pageRequest.kit.config);
  const { user, identityId } = resolved;
  const source = knownBrowsers.requestSource(pageRequest.request);
  const level = (await findDestination(services.oauth, next ?? undefined))?.level ?? {};
  const login = { proxied, user, identityId, upstream, source, level };
  try {
    const issued = await logInByProvider(services.oauth, login);
    if (issued.browserCookie !== undefined) knownBrowsers.set(pageRequest.reply, issued.browserCookie);
    if (client !== null) return await openClientSession(pageRequest.kit, pageRequest.reply, proxied, issued, next);
    const tokens = issued.response as Tokens;
    const defaultPath = resolved.isNew ? '/settings?done=welcome' : '/settings';
    return await startSession(pageRequest, tokens, next ?? defaultPath);
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    if (client !== null) return redirectWithError(pageRequest.reply, error, next);
    if (error.error === 'mfa_required' && isMfaRequired(error.members)) {
      return showSecondStep(pageRequest, { ...error.members, next: next ?? undefined });
    }
    if (error.message !== unconfirmedEmail) throw error;
    const query = nextQuery(next ?? undefined);
    return pageRequest.redirect(`${pageRequest.kit.loginPath}${query}${query ? '&' : '?'}done=registered`);
  }
}

/** Sets the cookie of the proxy's login, and returns its tokens or redirects to the application's page. */
async function openClientSession(
  kit: PageKit,
  reply: FastifyReply,
  proxied: ProxiedClient,
  { response, refreshTokenTtl }: IssuedTokens,
  next: string | null,
): Promise<FastifyReply> {
  const options = { ...refreshCookie(kit.config, proxied), maxAge: refreshTokenTtl };
  reply.setCookie(refreshCookieName, response.refresh_token ?? '', options).header('cache-control', 'no-store');
  // The application's page gets its tokens by a refresh with the cookie: tokens must not be in an address.
  return next === null ? reply.type('application/json').send(response) : reply.redirect(next, 303);
}

function redirectWithError(reply: FastifyReply, error: OAuthError, next: string | null): FastifyReply {
  const { error: code, message: description, members, status } = error;
  reply.header('cache-control', 'no-store');
  const body = { error: code, error_description: description, ...members };
  if (next === null) return reply.code(status).type('application/json').send(body);
  // In the fragment, which browsers do not send to a server.
  const fragment = new URLSearchParams(Object.entries(body).map(([name, value]) => [name, String(value)]));
  return reply.redirect(`${next.split('#', 1)[0]}#${fragment}`, 303);
}
