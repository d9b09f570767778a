import type { FastifyReply } from 'fastify';
import { type Message, message } from '../../config/languages/message.ts';
import { findUser } from '../../identity/accounts/user-store.ts';
import { unconfirmedEmail } from '../../identity/credentials/require-confirmed-email.ts';
import { asObject } from '../../platform/is-object.ts';
import { type Destination, findDestination } from '../authorize/destinations.ts';
import { loginField } from '../kit/identifiers.ts';
import type { PageKit, PageRequest } from '../kit/page-request.ts';
import type { Variables } from '../kit/views.ts';
import { localPath, nextQuery } from '../session/local-path.ts';
import { endSession, showProviderRedirect, signedOutPath } from './end-session.ts';
import { isMfaRequired, showSecondStep, startSession } from './second-step.ts';

/** The login page under the name in `login-page-url`, and signing out. */
export function serveSignIn(kit: PageKit): void {
  kit.page(kit.loginPath, 'public', async (pageRequest) => {
    const next = localPath(pageRequest.query.next);
    const destination = await findDestination(kit.oauth, next);
    const caller = await pageRequest.findCaller();
    if (caller && (!destination || (await destination.accepts(caller))))
      return pageRequest.redirect(next ?? '/settings');
    const hinted = pageRequest.query.choose ? undefined : destination?.idpHint;
    if (hinted !== undefined && (await kit.providers.buttons()).some(({ name }) => name === hinted)) {
      return pageRequest.redirect(`/login/with/${hinted}${nextQuery(next)}`, 302);
    }
    const values = { login: destination?.loginHint };
    return showLogin(pageRequest, { next, destination }, { notice: pageRequest.notice, values });
  });
  kit.form(kit.loginPath, 'public', signIn);
  kit.page('/logout', 'public', async (pageRequest) => {
    const caller = await pageRequest.findCaller();
    if (!caller) return pageRequest.redirect(signedOutPath(kit));
    // The form belongs to this session.
    pageRequest.request.caller = caller;
    const user = await findUser(kit.database.db, caller.userId ?? '');
    const person = user?.name ?? user?.email ?? user?.username ?? user?.phone;
    return pageRequest.show('sign-out', { title: message('sign_out.title'), person, parameters: [] });
  });
  kit.form('/logout', 'auth:web', signOut);
  if (kit.loginPath !== '/login') {
    kit.page('/login', 'public', (pageRequest) => {
      const next = localPath(pageRequest.query.next);
      return pageRequest.redirect(kit.loginPath + nextQuery(next));
    });
  }
}

/** The user's destination after the login. */
export interface AfterLogin {
  readonly next: string | undefined;
  readonly destination: Destination | undefined;
}

async function showLogin(pageRequest: PageRequest, { next, destination }: AfterLogin, variables: Variables) {
  const application = destination?.application;
  const { cookies, providers } = pageRequest.kit;
  // The explanation for a user whose email at the provider is taken.
  const linking = await providers.findLinking(next, cookies.read(pageRequest.request).visitor);
  const shared = {
    title: message('login.title'),
    next,
    next_query: nextQuery(next),
    application,
    providers: await providers.buttons(),
    linking,
    email_codes: pageRequest.kit.config.emailCodes,
    is_for_device: next !== undefined && /^\/device(\?|$)/.test(next),
    ...loginField(pageRequest.kit.config),
  };
  const values = { ...asObject(variables.values), ...(linking && !variables.values ? { login: linking.email } : {}) };
  return pageRequest.show(pageRequest.kit.config.loginPageUrl, { ...shared, ...variables, values }, destination);
}

async function signIn(pageRequest: PageRequest): Promise<FastifyReply> {
  const form = pageRequest.form('login', 'password', 'next');
  const next = localPath(form.next);
  const destination = await findDestination(pageRequest.kit.oauth, next);
  const values = { login: form.login };
  const again = (status: number, variables: Variables) =>
    showLogin(pageRequest.status(status), { next, destination }, { values, ...variables });

  const missing: Record<string, Message> = {};
  if (form.login === '') missing.login = message('login.missing_login');
  if (form.password === '') missing.password = message('login.missing_password');
  if (Object.keys(missing).length > 0) return again(422, { errors: missing });

  const credentials = { username: form.login, password: form.password };
  const response = await pageRequest.kit.client.send(pageRequest, { ...credentials, ...destination?.level });
  if (response.ok) return startSession(pageRequest, response.data, next);
  if (response.code === 'mfa_required' && isMfaRequired(response.data)) {
    return showSecondStep(pageRequest, { ...response.data, next });
  }
  if (response.status === 429) {
    pageRequest.statusOf(response);
    return again(429, {
      wait_seconds: response.retryAfter,
      wait_text: await inWords(pageRequest, response.retryAfter),
    });
  }
  if (response.detail === unconfirmedEmail) return again(403, { unconfirmed: true });
  if (response.code === 'invalid_grant') {
    return again(422, { problem: message(`login.wrong.${loginName(pageRequest.kit)}`) });
  }
  return again(response.status, { problem: response.message });
}

const loginName = ({ config: { loginAttributes } }: PageKit): string =>
  loginAttributes.length === 1 ? String(loginAttributes[0]) : 'any';

async function signOut(pageRequest: PageRequest): Promise<FastifyReply> {
  const upstream = await endSession(pageRequest);
  return upstream ? showProviderRedirect(pageRequest, upstream) : pageRequest.redirect(signedOutPath(pageRequest.kit));
}

async function inWords(pageRequest: PageRequest, seconds: number): Promise<string> {
  const [count, unit] = seconds > 90 ? [Math.ceil(seconds / 60), 'minute'] : [seconds, 'second'];
  const style = { style: 'unit', unit, unitDisplay: 'long' } as const;
  return new Intl.NumberFormat(await pageRequest.kit.languageOf(pageRequest.request), style).format(count);
}
