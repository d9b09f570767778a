import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../http/app.ts';
import { OutboundError } from '../../http/outbound/guarded-fetch.ts';
import { requestSource } from '../../http/request-source.ts';
import { takeAttempt } from '../../identity/providers/attempt-store.ts';
import { beginAttempt, bindingOf } from '../../identity/providers/begin-attempt.ts';
import type { ProviderClient } from '../../identity/providers/provider-client.ts';
import { noteProviderState } from '../../identity/providers/provider-state-store.ts';
import type { Upstream } from '../../identity/providers/upstream.ts';
import { invalidRequest } from '../../oauth/parameters.ts';
import { logOutByProvider } from '../../oauth/provider-logout.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import { type PageKit, queryOf } from '../kit/page-kit.ts';
import { visitorOf } from '../session/csrf.ts';
import { localPath } from '../session/local-path.ts';
import { finishLinking, serveLinking } from './provider-link.ts';
import {
  type Answered,
  labelOf,
  nameIn,
  type ProviderMeans,
  providerOf,
  readPassedOn,
  type SendToProvider,
  showProviderFailure,
} from './provider-means.ts';
import { finishProving, serveProving } from './provider-prove.ts';
import { finishSignIn } from './provider-session.ts';

/** What a provider may send to the callback. */
const answers = ['code', 'state', 'iss', 'error', 'error_description', 'session_state', 'user'];

/** Sign-in with a provider: the way there, and the way back (contract 14.1, 14.3). */
export function serveProviders(app: App, kit: PageKit, means: ProviderMeans): void {
  const path = '/login/with/:name';
  kit.page(path, 'public', (request, reply) => begin(kit, means, request, reply));
  kit.page(`${path}/callback`, 'public', (request, reply) => finish(kit, means, request, reply));
  // Apple answers by a form that its own page sends, and browsers send no cookies along with that. They do with the GET
  // that follows.
  app.post(
    `${path}/callback`,
    { config: { auth: 'public', errors: 'page' }, schema: { hide: true } },
    async (request, reply) => {
      const query = answersIn((request.body ?? {}) as Record<string, unknown>);
      return kit.go(reply, `/login/with/${encodeURIComponent(nameIn(request))}/callback?${query}`);
    },
  );
  app.post(
    `${path}/logout`,
    { config: { auth: 'public', errors: 'oauth' }, schema: { hide: true } },
    async (request, reply) => {
      const { logout_token: token } = (request.body ?? {}) as Record<string, unknown>;
      if (typeof token !== 'string') throw invalidRequest("The parameter 'logout_token' is missing.");
      const provider = await providerOf(means, request);
      await logOutByProvider(means.oauth, provider, { token, source: requestSource(request) });
      return reply.header('cache-control', 'no-store').code(200).send();
    },
  );
  serveLinking(kit, means);
  serveProving(kit, means, sendToProvider);
}

function answersIn(sent: Readonly<Record<string, unknown>>): URLSearchParams {
  const found = answers.flatMap((name) => {
    const value = sent[name];
    return typeof value === 'string' && value.length <= 4000 ? [[name, value]] : [];
  });
  return new URLSearchParams(found);
}

async function begin(kit: PageKit, means: ProviderMeans, request: FastifyRequest, reply: FastifyReply) {
  const provider = await providerOf(means, request);
  const query = queryOf(request);
  const next = localPath(query.next);
  const destination = await means.findDestination(next);
  const asked = { ...destination?.asks, login_hint: destination?.loginHint, ...query };
  return sendToProvider(kit, means, request, reply, provider, {
    purpose: 'sign-in',
    next,
    invitation: query.invitation,
    passedOn: readPassedOn(asked),
  });
}

const sendToProvider: SendToProvider = async (kit, means, request, reply, provider, beginning) => {
  const { context, oauth } = means;
  const visitor = visitorOf(kit.cookies, request, reply);
  try {
    const url = await beginAttempt(context, oauth.keys, provider, { ...beginning, visitor });
    return await reply.header('cache-control', 'no-store').redirect(url.href, 302);
  } catch (error) {
    await noteFailure(means, request, provider, error);
    return showProviderFailure(kit, request, reply, {
      failure: 'down',
      label: labelOf(provider),
      next: beginning.next,
    });
  }
};

async function finish(
  kit: PageKit,
  means: ProviderMeans,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { context, oauth } = means;
  const provider = await providerOf(means, request);
  const label = labelOf(provider);
  const answer = answersIn(queryOf(request));
  const state = answer.get('state');
  const { visitor } = kit.cookies.read(request);
  const { name } = provider.definition;
  const attempt =
    state && visitor
      ? await takeAttempt(context.database.db, { state, visitor, provider: name, now: context.now() })
      : undefined;
  if (!attempt || state === null) return showProviderFailure(kit, request, reply, { failure: 'expired', label });
  const { next } = attempt;
  let upstream: Upstream;
  try {
    const binding = await bindingOf(context, oauth.keys, name, state);
    upstream = await provider.finish(answer, binding, attempt.max_age);
  } catch (error) {
    await noteFailure(means, request, provider, error);
    return showProviderFailure(kit, request, reply, { failure: failureOf(error, answer), label, next });
  }
  await noteProviderState(context.database.db, { name, succeeded_at: context.now() });
  return finishAttempt(kit, means, request, reply, { provider, attempt, upstream });
}

function finishAttempt(
  kit: PageKit,
  means: ProviderMeans,
  request: FastifyRequest,
  reply: FastifyReply,
  answered: Answered,
): Promise<FastifyReply> {
  const { purpose } = answered.attempt;
  if (purpose === 'link') return finishLinking(kit, means, request, reply, answered);
  if (purpose === 'prove') return finishProving(kit, means, request, reply, answered);
  return finishSignIn(kit, means, request, reply, answered);
}

/** A person who changed their mind is not an error of the provider. */
function failureOf(error: unknown, answer: URLSearchParams) {
  const code = answer.get('error');
  if (code === 'access_denied' || code === 'user_cancelled_authorize') return 'denied';
  if (code === 'login_required' || code === 'interaction_required') return 'login_required';
  return causeOf(error, OutboundError) ? 'down' : 'failed';
}

/** Libraries wrap what `fetch` throws. */
function causeOf<T extends Error>(error: unknown, kind: new (...args: never[]) => T): T | undefined {
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
    if (current instanceof kind) return current;
    current = current.cause;
  }
  return undefined;
}

/** In the log, for the console, and in the audit trail. What a provider says of an error may hold anything: it is cut. */
async function noteFailure(
  { context }: ProviderMeans,
  request: FastifyRequest,
  { definition: { name } }: ProviderClient,
  error: unknown,
): Promise<void> {
  const { message: said, code, cause } = error as Error & { code?: string };
  const why = [code, said, causeOf(cause, Error)?.message]
    .filter((part) => part)
    .join(': ')
    .slice(0, 300);
  context.log.warn({ err: error, provider: name }, 'a sign-in with a provider failed');
  context.metrics.logins.inc({ result: 'refused' });
  const { db } = context.database;
  await noteProviderState(db, { name, failed_at: context.now(), failure: why });
  const data = { provider: name, reason: why };
  await recordEvent(context, db, { type: 'login.failed', source: requestSource(request), data });
}
