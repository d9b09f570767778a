import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Message, message } from '../../config/languages/message.ts';
import { findUser } from '../../identity/accounts/user-store.ts';
import { unconfirmedEmail } from '../../identity/credentials/require-confirmed-email.ts';
import type { Upstream } from '../../identity/providers/upstream.ts';
import type { Destination } from '../authorize/destinations.ts';
import { loginField } from '../kit/identifiers.ts';
import { noticeOf } from '../kit/notices.ts';
import { type PageKit, queryOf, readForm } from '../kit/page-kit.ts';
import type { Variables } from '../kit/views.ts';
import { endSession, signedOutPath } from '../logout/end-session.ts';
import { localPath, nextQuery } from '../session/local-path.ts';
import { pendingOf } from './provider-link.ts';
import { labelOf, leave, type ProviderMeans } from './provider-means.ts';
import { isMfaRequired, showSecondStep } from './second-step.ts';

/** The login page under the name that `login-page-url` gives it, and signing out. */
export function serveSignIn(kit: PageKit, means: ProviderMeans): void {
  const { findDestination } = means;
  kit.page(kit.loginPath, 'public', async (request, reply) => {
    const next = localPath(queryOf(request).next);
    const destination = await findDestination(next);
    const caller = await kit.webSessions.find(request, reply);
    if (caller && (!destination || (await destination.accepts(caller)))) return kit.go(reply, next ?? '/settings');
    const hinted = queryOf(request).choose ? undefined : destination?.idpHint;
    if (hinted !== undefined && (await means.providers.find(hinted))) {
      return kit.go(reply, `/login/with/${hinted}${nextQuery(next)}`, 302);
    }
    const values = { login: destination?.loginHint };
    return showLogin(kit, means, request, reply, { next, destination }, { notice: noticeOf(request), values });
  });
  kit.form(kit.loginPath, 'public', (request, reply) => signIn(kit, means, request, reply));
  kit.page('/logout', 'public', async (request, reply) => {
    const caller = await kit.webSessions.find(request, reply);
    if (!caller) return kit.go(reply, signedOutPath(kit));
    // The form belongs to this session.
    request.caller = caller;
    const user = await findUser(kit.database.db, caller.userId ?? '');
    const person = user?.name ?? user?.email ?? user?.username ?? user?.phone;
    return kit.show(request, reply, 'sign-out', { title: message('sign_out.title'), person, parameters: [] });
  });
  kit.form('/logout', 'auth:web', (request, reply) => signOut(kit, means, request, reply));
  if (kit.loginPath !== '/login') {
    kit.page('/login', 'public', (request, reply) => {
      const next = localPath(queryOf(request).next);
      return kit.go(reply, kit.loginPath + nextQuery(next));
    });
  }
}

/** Where the person is going after the login. */
export interface Going {
  readonly next: string | undefined;
  readonly destination: Destination | undefined;
}

async function showLogin(
  kit: PageKit,
  means: ProviderMeans,
  request: FastifyRequest,
  reply: FastifyReply,
  { next, destination }: Going,
  variables: Variables,
): Promise<FastifyReply> {
  const application = destination?.application;
  const linking = await linkingOf(kit, means, request, next);
  const shared = {
    title: message('login.title'),
    next,
    next_query: nextQuery(next),
    application,
    providers: await means.providers.buttons(),
    linking,
    email_codes: kit.config.emailCodes,
    is_for_device: next !== undefined && /^\/device(\?|$)/.test(next),
    ...loginField(kit.config),
  };
  const values = { ...(variables.values as object), ...(linking && !variables.values ? { login: linking.email } : {}) };
  return kit.show(request, reply, kit.config.loginPageUrl, { ...shared, ...variables, values }, destination);
}

/** The explanation for a person who comes from a provider with an email that is taken. */
async function linkingOf(kit: PageKit, means: ProviderMeans, request: FastifyRequest, next: string | undefined) {
  const [, name = '', handle = ''] = /^\/login\/with\/([a-z0-9-]+)\/link\/([\w-]+)$/.exec(next ?? '') ?? [];
  const provider = handle === '' ? undefined : await means.providers.find(name);
  const pending = provider && (await pendingOf(kit, means, request, { provider: name, handle }));
  return pending && { provider: labelOf(provider), email: (JSON.parse(pending.upstream) as Upstream).email };
}

async function signIn(
  kit: PageKit,
  means: ProviderMeans,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const form = readForm(request, 'login', 'password', 'next');
  const next = localPath(form.next);
  const destination = await means.findDestination(next);
  const values = { login: form.login };
  const again = (status: number, variables: Variables) =>
    showLogin(kit, means, request, reply.code(status), { next, destination }, { values, ...variables });

  const missing: Record<string, Message> = {};
  if (form.login === '') missing.login = message('login.missing_login');
  if (form.password === '') missing.password = message('login.missing_password');
  if (Object.keys(missing).length > 0) return again(422, { errors: missing });

  const credentials = { username: form.login, password: form.password };
  const answer = await kit.client.send(request, reply, { ...credentials, ...destination?.level });
  if (answer.ok) {
    kit.cookies.setSession(reply, answer.data);
    return kit.go(reply, answer.data.scope === undefined ? (next ?? '/settings') : '/settings/security');
  }
  if (answer.code === 'mfa_required' && isMfaRequired(answer.data)) {
    return showSecondStep(kit, request, reply, { ...answer.data, next });
  }
  if (answer.status === 429) {
    reply.header('retry-after', String(answer.retryAfter));
    return again(429, { wait_seconds: answer.retryAfter, wait_text: await inWords(kit, request, answer.retryAfter) });
  }
  if (answer.detail === unconfirmedEmail) return again(403, { unconfirmed: true });
  if (answer.code === 'invalid_grant') {
    return again(422, { problem: message(`login.wrong.${loginName(kit)}`) });
  }
  return again(answer.status, { problem: answer.message });
}

const loginName = ({ config: { loginAttributes } }: PageKit): string =>
  loginAttributes.length === 1 ? String(loginAttributes[0]) : 'any';

async function signOut(
  kit: PageKit,
  means: ProviderMeans,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const upstream = await endSession(kit, means.providers, request, reply);
  return upstream ? leave(kit, request, reply, upstream.url, upstream.label) : kit.go(reply, signedOutPath(kit));
}

async function inWords(kit: PageKit, request: FastifyRequest, seconds: number): Promise<string> {
  const [count, unit] = seconds > 90 ? [Math.ceil(seconds / 60), 'minute'] : [seconds, 'second'];
  const style = { style: 'unit', unit, unitDisplay: 'long' } as const;
  return new Intl.NumberFormat(await kit.languageOf(request), style).format(count);
}
