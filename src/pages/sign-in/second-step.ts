import type { FastifyReply } from 'fastify';
import { message } from '../../config/languages/message.ts';
import { loginExpired, setUpScopes } from '../../identity/factors/second-step.ts';
import { findDestination } from '../authorize/destinations.ts';
import type { PageKit, PageRequest } from '../kit/page-request.ts';
import type { Variables } from '../kit/views.ts';
import type { Tokens } from '../session/cookies.ts';
import { localPath, nextQuery } from '../session/local-path.ts';

/** The API's response if the password was right and a second factor is required. */
interface MfaRequired {
  readonly mfa_token: string;
  readonly methods: readonly string[];
}

export const isMfaRequired = (body: object | undefined): body is MfaRequired =>
  body !== undefined && 'mfa_token' in body && 'methods' in body;

interface Step extends MfaRequired {
  readonly next: string | undefined;
}

/** The page that asks for the second factor. A code works without a script, a passkey does not. */
export function showSecondStep(
  pageRequest: PageRequest,
  { mfa_token, methods, next }: Step,
  variables: Variables = {},
): Promise<FastifyReply> {
  const codes = methods.filter((method) => method !== 'passkey');
  return pageRequest.show('login-step', {
    title: message('login_step.title'),
    mfa_token,
    next,
    methods: methods.join(' '),
    about: codes[0] === undefined ? undefined : message(`login_step.about.${codes[0]}`),
    takes_code: codes.length > 0,
    takes_recovery: codes.length > 1 && methods.includes('recovery_code'),
    takes_passkey: methods.includes('passkey'),
    can_remember: pageRequest.kit.config.mfaRemember > 0,
    remember_days: Math.round(pageRequest.kit.config.mfaRemember / 86_400),
    ...variables,
  });
}

/** Opens the session in this browser. A login that must set up a second factor goes there first. */
export function startSession(pageRequest: PageRequest, tokens: Tokens, next = '/settings'): Promise<FastifyReply> {
  pageRequest.kit.cookies.setSession(pageRequest.reply, tokens);
  return pageRequest.redirect(tokens.scope === setUpScopes.join(' ') ? '/settings/security' : next);
}

/** The second step of a login, and sign-in with a passkey alone. */
export function serveSecondStep(kit: PageKit): void {
  const restartLogin = (pageRequest: PageRequest, next: string | undefined, noticeName: string) =>
    pageRequest.redirect(`${kit.loginPath}${nextQuery(next)}${next ? '&' : '?'}done=${noticeName}`);

  kit.form('/login-step', 'public', async (pageRequest) => {
    const form = pageRequest.form('mfa_token', 'methods', 'code', 'passkey', 'remember', 'next');
    const next = localPath(form.next);
    const { mfa_token } = form;
    const step = { mfa_token, methods: form.methods.split(' ').filter((name) => /^[a-z_]{1,20}$/.test(name)), next };
    if (form.code === '' && form.passkey === '') {
      return showSecondStep(pageRequest.status(422), step, { errors: { code: message('login_step.missing') } });
    }
    const body: Record<string, string> = { mfa_token };
    if (form.passkey === '') body.code = form.code;
    else body.passkey = form.passkey;
    if (form.remember === 'on') body.remember = 'true';
    const response = await kit.client.send(pageRequest, body);
    if (response.ok) return startSession(pageRequest, response.data, next);
    if (response.detail === loginExpired) return restartLogin(pageRequest, next, 'login-expired');
    const problem = response.code === 'invalid_grant' ? message('login_step.wrong') : response.message;
    const variables = form.passkey === '' ? { errors: { code: problem } } : { problem };
    return showSecondStep(
      pageRequest.statusOf({ ...response, status: response.status === 400 ? 422 : response.status }),
      step,
      variables,
    );
  });

  kit.form('/login-passkey', 'public', async (pageRequest) => {
    const form = pageRequest.form('passkey', 'next');
    const next = localPath(form.next);
    const response = await kit.client.send(pageRequest, { passkey: form.passkey });
    return response.ok
      ? startSession(pageRequest, response.data, next)
      : restartLogin(pageRequest, next, 'passkey-refused');
  });
}

const path = '/login-code';

/**
 * Signs in with a mailed code instead of a password (EMAIL_CODES=on). A cookie contains the id of the code, so the code
 * works only in this browser.
 */
export function serveEmailCodes(kit: PageKit): void {
  const show = (pageRequest: PageRequest, next: string | undefined, variables: Variables = {}) =>
    pageRequest.show('login-code', {
      title: message('login_code.title'),
      next,
      next_query: nextQuery(next),
      ...variables,
    });

  kit.page(path, 'public', (pageRequest) => show(pageRequest, localPath(pageRequest.query.next)));

  kit.form(path, 'public', async (pageRequest) => {
    const { email, next: requestedNext } = pageRequest.form('email', 'next');
    const next = localPath(requestedNext);
    const response = await pageRequest.call<{ id: string }>('POST', '/v1/email-codes', { email });
    if (response.ok) {
      kit.cookies.setEmailCode(pageRequest.reply, response.data.id);
      return show(pageRequest, next, { sent: true });
    }
    const problem = response.errors.email ? undefined : response.message;
    return show(pageRequest.statusOf(response), next, { values: { email }, errors: response.errors, problem });
  });

  kit.form(`${path}/answer`, 'public', async (pageRequest) => {
    const { code, next: requestedNext } = pageRequest.form('code', 'next');
    const next = localPath(requestedNext);
    const id = kit.cookies.read(pageRequest.request).code;
    const wrong = message(code === '' ? 'login_step.missing' : 'login_step.wrong');
    if (id === undefined) return show(pageRequest.status(422), next, { problem: wrong });
    if (code === '') return show(pageRequest.status(422), next, { sent: true, errors: { code: wrong } });
    const destination = await findDestination(kit.oauth, next);
    const response = await kit.client.send(pageRequest, { email_code: id, code, ...destination?.level });
    if (response.ok) {
      kit.cookies.setEmailCode(pageRequest.reply, undefined);
      return startSession(pageRequest, response.data, next);
    }
    if (response.code === 'mfa_required' && isMfaRequired(response.data)) {
      return showSecondStep(pageRequest, { ...response.data, next });
    }
    const problem = response.code === 'invalid_grant' ? { errors: { code: wrong } } : { problem: response.message };
    return show(pageRequest.statusOf({ ...response, status: response.status === 400 ? 422 : response.status }), next, {
      sent: true,
      ...problem,
    });
  });
}
