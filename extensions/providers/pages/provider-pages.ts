import type { FastifyReply } from 'fastify';
import type { App } from '../../../src/http/app.ts';
import { requestSource } from '../../../src/http/request-source.ts';
import { invalidLink, readOneTimeToken } from '../../../src/identity/account-mails/one-time-tokens.ts';
import { invalidRequest } from '../../../src/oauth/parameters.ts';
import { findDestination } from '../../../src/pages/authorize/destinations.ts';
import { type PageKit, PageRequest } from '../../../src/pages/kit/page-request.ts';
import { localPath } from '../../../src/pages/session/local-path.ts';
import { Problem } from '../../../src/platform/errors.ts';
import { asObject } from '../../../src/platform/is-object.ts';
import type { ProviderFailure } from '../client/failure-meanings.ts';
import type { Upstream } from '../client/upstream.ts';
import { consumeAttempt } from '../sign-in/attempt-store.ts';
import { bindingOf } from '../sign-in/begin-attempt.ts';
import { logOutByProvider } from '../sign-in/provider-logout.ts';
import { recordProviderSuccess } from '../sign-in/provider-store.ts';
import { finishLinking, serveLinking } from './provider-link.ts';
import { finishProving, serveProving } from './provider-prove.ts';
import {
  labelOf,
  nameIn,
  type ProviderResponse,
  type ProviderServices,
  providerOf,
  readForwardedParameters,
  showProviderFailure,
} from './provider-services.ts';
import { finishSignIn } from './provider-session.ts';
import { finishTest, serveProviderTest } from './provider-test.ts';
import { recordFailure, sendToProvider } from './send-to-provider.ts';

/** The parameters that a provider may send to the callback. */
const responses = ['code', 'state', 'iss', 'error', 'error_description', 'session_state', 'user'];

/** Sign-in with a provider: the redirect to the provider and its callback. */
export function serveProviders(app: App, kit: PageKit, services: ProviderServices): void {
  const path = '/login/with/:name';
  kit.page(path, 'public', (pageRequest) => begin(pageRequest, services));
  kit.page(`${path}/callback`, 'public', (pageRequest) => finish(pageRequest, services));
  // Apple responds with a form on its own page, so browsers send no cookies. They send them with the following GET.
  app.post(
    `${path}/callback`,
    { config: { auth: 'public', errors: 'page' }, schema: { hide: true } },
    async (request, reply) => {
      const query = responseParameters(asObject(request.body));
      const pageRequest = new PageRequest(kit, request, reply);
      return pageRequest.redirect(`/login/with/${encodeURIComponent(nameIn(pageRequest))}/callback?${query}`);
    },
  );
  app.post(
    `${path}/logout`,
    { config: { auth: 'public', errors: 'oauth' }, schema: { hide: true } },
    async (request, reply) => {
      const { logout_token: token } = asObject(request.body);
      if (typeof token !== 'string') throw invalidRequest("The parameter 'logout_token' is missing.");
      const provider = await providerOf(services, new PageRequest(kit, request, reply));
      await logOutByProvider(services.oauth, provider, { token, source: requestSource(request) });
      return reply.header('cache-control', 'no-store').code(200).send();
    },
  );
  serveLinking(kit, services);
  serveProving(kit, services);
  serveProviderTest(kit, services);
}

function responseParameters(sent: Readonly<Record<string, unknown>>): URLSearchParams {
  const found = responses.flatMap((name) => {
    const value = sent[name];
    return typeof value === 'string' && value.length <= 4000 ? [[name, value]] : [];
  });
  return new URLSearchParams(found);
}

/** The id of the mailed link. The attempt stores this id, never the link: the id alone gives no access. */
function readInvitation({ oauth: { keys } }: ProviderServices, sent: unknown): string | undefined {
  if (sent === undefined) return undefined;
  const id = typeof sent === 'string' ? readOneTimeToken(keys, 'reset_password', sent) : undefined;
  if (id === undefined) throw invalidLink();
  return id;
}

async function begin(pageRequest: PageRequest, services: ProviderServices) {
  const provider = await providerOf(services, pageRequest);
  const query = pageRequest.query;
  const next = localPath(query.next);
  const destination = await findDestination(services.oauth, next);
  const parameters = { ...destination?.requirements, login_hint: destination?.loginHint, ...query };
  return sendToProvider(pageRequest, services, provider, {
    purpose: 'sign-in',
    next,
    invitation: readInvitation(services, query.invitation),
    forwarded: readForwardedParameters(parameters),
  });
}

async function finish(pageRequest: PageRequest, services: ProviderServices): Promise<FastifyReply> {
  const { context, oauth } = services;
  const provider = await providerOf(services, pageRequest);
  const label = labelOf(provider);
  const response = responseParameters(pageRequest.query);
  const state = response.get('state');
  const { visitor } = pageRequest.kit.cookies.read(pageRequest.request);
  const { name } = provider.definition;
  const attempt =
    state && visitor
      ? await consumeAttempt(context.database.db, { state, visitor, provider: name, now: context.now() })
      : undefined;
  if (!attempt || state === null) return showProviderFailure(pageRequest, { failure: 'expired', label });
  const { next } = attempt;
  let upstream: Upstream;
  try {
    const binding = await bindingOf(context, oauth.keys, name, state);
    // `finishProving` checks a renewed proof, because some providers do not send the time of the sign-in.
    upstream = await provider.finish(response, binding, attempt.purpose === 'prove' ? null : attempt.max_age);
  } catch (error) {
    const decided = userDecision(response);
    if (decided) return showProviderFailure(pageRequest, { failure: decided, label, next });
    const failure = await recordFailure(services, pageRequest, provider, error);
    if (attempt.purpose === 'test') return finishTest(pageRequest, services, { provider, attempt, upstream: failure });
    return showProviderFailure(pageRequest, { failure: pageOf(failure), label, next });
  }
  await recordProviderSuccess(context.database.db, name, context.now());
  return finishAttempt(pageRequest, services, { provider, attempt, upstream });
}

function finishAttempt(pageRequest: PageRequest, services: ProviderServices, providerResponse: ProviderResponse) {
  const { purpose } = providerResponse.attempt;
  if (purpose === 'link') return finishLinking(pageRequest, services, providerResponse);
  if (purpose === 'prove') return finishProving(pageRequest, services, providerResponse);
  if (purpose === 'test') return finishTest(pageRequest, services, providerResponse);
  return finishSignIn(pageRequest, services, providerResponse).catch(async (error: unknown) => {
    // An error in `map` of the declaration.
    if (error instanceof Problem && error.code === 'provider_failed') {
      await recordFailure(services, pageRequest, providerResponse.provider, error);
    }
    throw error;
  });
}

/** A user who cancels is not an error of the provider. */
function userDecision(response: URLSearchParams): 'denied' | 'login_required' | undefined {
  const code = response.get('error');
  if (code === 'access_denied' || code === 'user_cancelled_authorize') return 'denied';
  return code === 'login_required' || code === 'interaction_required' ? 'login_required' : undefined;
}

const pageOf = ({ code }: ProviderFailure): 'down' | 'failed' => (code === 'unreachable' ? 'down' : 'failed');
