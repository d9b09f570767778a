import type { FastifyReply } from 'fastify';
import { type Message, message } from '../../config/languages/message.ts';
import { findUser } from '../../identity/accounts/user-store.ts';
import { unconfirmedEmail } from '../../identity/credentials/require-confirmed-email.ts';
import { parseJson } from '../../platform/json-text.ts';
import type { Destination } from '../authorize/destinations.ts';
import { loginField } from '../kit/identifiers.ts';
import { noticeOf } from '../kit/notices.ts';
import type { Variables } from '../kit/views.ts';
import type { PageKit, Visit } from '../kit/visit.ts';
import { endSession, signedOutPath } from '../logout/end-session.ts';
import { localPath, nextQuery } from '../session/local-path.ts';
import { pendingOf } from './provider-link.ts';
import { labelOf, leave, type ProviderMeans } from './provider-means.ts';
import { isMfaRequired, showSecondStep, startSession } from './second-step.ts';

/** The login page under the name in `login-page-url`, and signing out. */
export function serveSignIn(kit: PageKit, means: ProviderMeans): void {
  const { findDestination } = means;
  kit.page(kit.loginPath, 'public', async (visit) => {
    const next = localPath(visit.query.next);
    const destination = await findDestination(next);
    const caller = await visit.findCaller();
    if (caller && (!destination || (await destination.accepts(caller)))) return visit.go(next ?? '/settings');
    const hinted = visit.query.choose ? undefined : destination?.idpHint;
    if (hinted !== undefined && (await means.providers.find(hinted))) {
      return visit.go(`/login/with/${hinted}${nextQuery(next)}`, 302);
    }
    const values = { login: destination?.loginHint };
    return showLogin(visit, means, { next, destination }, { notice: noticeOf(visit), values });
  });
  kit.form(kit.loginPath, 'public', (visit) => signIn(visit, means));
  kit.page('/logout', 'public', async (visit) => {
    const caller = await visit.findCaller();
    if (!caller) return visit.go(signedOutPath(kit));
    // The form belongs to this session.
    visit.request.caller = caller;
    const user = await findUser(kit.database.db, caller.userId ?? '');
    const person = user?.name ?? user?.email ?? user?.username ?? user?.phone;
    return visit.show('sign-out', { title: message('sign_out.title'), person, parameters: [] });
  });
  kit.form('/logout', 'auth:web', (visit) => signOut(visit, means));
  if (kit.loginPath !== '/login') {
    kit.page('/login', 'public', (visit) => {
      const next = localPath(visit.query.next);
      return visit.go(kit.loginPath + nextQuery(next));
    });
  }
}

/** The user's destination after the login. */
export interface Going {
  readonly next: string | undefined;
  readonly destination: Destination | undefined;
}

async function showLogin(
  visit: Visit,
  means: ProviderMeans,
  { next, destination }: Going,
  variables: Variables,
): Promise<FastifyReply> {
  const application = destination?.application;
  const linking = await linkingOf(visit, means, next);
  const shared = {
    title: message('login.title'),
    next,
    next_query: nextQuery(next),
    application,
    providers: await means.providers.buttons(),
    linking,
    email_codes: visit.kit.config.emailCodes,
    is_for_device: next !== undefined && /^\/device(\?|$)/.test(next),
    ...loginField(visit.kit.config),
  };
  const values = { ...(variables.values as object), ...(linking && !variables.values ? { login: linking.email } : {}) };
  return visit.show(visit.kit.config.loginPageUrl, { ...shared, ...variables, values }, destination);
}

/** The explanation for a user whose email at the provider is taken. */
async function linkingOf(visit: Visit, means: ProviderMeans, next: string | undefined) {
  const [, name = '', handle = ''] = /^\/login\/with\/([a-z0-9-]+)\/link\/([\w-]+)$/.exec(next ?? '') ?? [];
  const provider = handle === '' ? undefined : await means.providers.find(name);
  const pending = provider && (await pendingOf(visit, means, { provider: name, handle }));
  return pending && { provider: labelOf(provider), email: parseJson(pending.upstream).email };
}

async function signIn(visit: Visit, means: ProviderMeans): Promise<FastifyReply> {
  const form = visit.form('login', 'password', 'next');
  const next = localPath(form.next);
  const destination = await means.findDestination(next);
  const values = { login: form.login };
  const again = (status: number, variables: Variables) =>
    showLogin(visit.status(status), means, { next, destination }, { values, ...variables });

  const missing: Record<string, Message> = {};
  if (form.login === '') missing.login = message('login.missing_login');
  if (form.password === '') missing.password = message('login.missing_password');
  if (Object.keys(missing).length > 0) return again(422, { errors: missing });

  const credentials = { username: form.login, password: form.password };
  const answer = await visit.kit.client.send(visit, { ...credentials, ...destination?.level });
  if (answer.ok) return startSession(visit, answer.data, next);
  if (answer.code === 'mfa_required' && isMfaRequired(answer.data)) {
    return showSecondStep(visit, { ...answer.data, next });
  }
  if (answer.status === 429) {
    visit.reply.header('retry-after', String(answer.retryAfter));
    return again(429, {
      wait_seconds: answer.retryAfter,
      wait_text: await inWords(visit, answer.retryAfter),
    });
  }
  if (answer.detail === unconfirmedEmail) return again(403, { unconfirmed: true });
  if (answer.code === 'invalid_grant') {
    return again(422, { problem: message(`login.wrong.${loginName(visit.kit)}`) });
  }
  return again(answer.status, { problem: answer.message });
}

const loginName = ({ config: { loginAttributes } }: PageKit): string =>
  loginAttributes.length === 1 ? String(loginAttributes[0]) : 'any';

async function signOut(visit: Visit, means: ProviderMeans): Promise<FastifyReply> {
  const upstream = await endSession(visit, means.providers);
  return upstream ? leave(visit, upstream.url, upstream.label) : visit.go(signedOutPath(visit.kit));
}

async function inWords(visit: Visit, seconds: number): Promise<string> {
  const [count, unit] = seconds > 90 ? [Math.ceil(seconds / 60), 'minute'] : [seconds, 'second'];
  const style = { style: 'unit', unit, unitDisplay: 'long' } as const;
  return new Intl.NumberFormat(await visit.kit.languageOf(visit.request), style).format(count);
}
