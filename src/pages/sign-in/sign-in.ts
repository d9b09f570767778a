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
import { labelOf, type ProviderServices, showProviderRedirect } from './provider-services.ts';
import { isMfaRequired, showSecondStep, startSession } from './second-step.ts';

/** The login page under the name in `login-page-url`, and signing out. */
export function serveSignIn(kit: PageKit, services: ProviderServices): void {
  const { findDestination } = services;
  kit.page(kit.loginPath, 'public', async (visit) => {
    const next = localPath(visit.query.next);
    const destination = await findDestination(next);
    const caller = await visit.findCaller();
    if (caller && (!destination || (await destination.accepts(caller)))) return visit.redirect(next ?? '/settings');
    const hinted = visit.query.choose ? undefined : destination?.idpHint;
    if (hinted !== undefined && (await services.providers.find(hinted))) {
      return visit.redirect(`/login/with/${hinted}${nextQuery(next)}`, 302);
    }
    const values = { login: destination?.loginHint };
    return showLogin(visit, services, { next, destination }, { notice: noticeOf(visit), values });
  });
  kit.form(kit.loginPath, 'public', (visit) => signIn(visit, services));
  kit.page('/logout', 'public', async (visit) => {
    const caller = await visit.findCaller();
    if (!caller) return visit.redirect(signedOutPath(kit));
    // The form belongs to this session.
    visit.request.caller = caller;
    const user = await findUser(kit.database.db, caller.userId ?? '');
    const person = user?.name ?? user?.email ?? user?.username ?? user?.phone;
    return visit.show('sign-out', { title: message('sign_out.title'), person, parameters: [] });
  });
  kit.form('/logout', 'auth:web', (visit) => signOut(visit, services));
  if (kit.loginPath !== '/login') {
    kit.page('/login', 'public', (visit) => {
      const next = localPath(visit.query.next);
      return visit.redirect(kit.loginPath + nextQuery(next));
    });
  }
}

/** The user's destination after the login. */
export interface AfterLogin {
  readonly next: string | undefined;
  readonly destination: Destination | undefined;
}

async function showLogin(
  visit: Visit,
  services: ProviderServices,
  { next, destination }: AfterLogin,
  variables: Variables,
): Promise<FastifyReply> {
  const application = destination?.application;
  const linking = await linkingOf(visit, services, next);
  const shared = {
    title: message('login.title'),
    next,
    next_query: nextQuery(next),
    application,
    providers: await services.providers.buttons(),
    linking,
    email_codes: visit.kit.config.emailCodes,
    is_for_device: next !== undefined && /^\/device(\?|$)/.test(next),
    ...loginField(visit.kit.config),
  };
  const values = { ...(variables.values as object), ...(linking && !variables.values ? { login: linking.email } : {}) };
  return visit.show(visit.kit.config.loginPageUrl, { ...shared, ...variables, values }, destination);
}

/** The explanation for a user whose email at the provider is taken. */
async function linkingOf(visit: Visit, services: ProviderServices, next: string | undefined) {
  const [, name = '', handle = ''] = /^\/login\/with\/([a-z0-9-]+)\/link\/([\w-]+)$/.exec(next ?? '') ?? [];
  const provider = handle === '' ? undefined : await services.providers.find(name);
  const pending = provider && (await pendingOf(visit, services, { provider: name, handle }));
  return pending && { provider: labelOf(provider), email: parseJson(pending.upstream).email };
}

async function signIn(visit: Visit, services: ProviderServices): Promise<FastifyReply> {
  const form = visit.form('login', 'password', 'next');
  const next = localPath(form.next);
  const destination = await services.findDestination(next);
  const values = { login: form.login };
  const again = (status: number, variables: Variables) =>
    showLogin(visit.status(status), services, { next, destination }, { values, ...variables });

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

async function signOut(visit: Visit, services: ProviderServices): Promise<FastifyReply> {
  const upstream = await endSession(visit, services.providers);
  return upstream
    ? showProviderRedirect(visit, upstream.url, upstream.label)
    : visit.redirect(signedOutPath(visit.kit));
}

async function inWords(visit: Visit, seconds: number): Promise<string> {
  const [count, unit] = seconds > 90 ? [Math.ceil(seconds / 60), 'minute'] : [seconds, 'second'];
  const style = { style: 'unit', unit, unitDisplay: 'long' } as const;
  return new Intl.NumberFormat(await visit.kit.languageOf(visit.request), style).format(count);
}
