import type { FastifyReply } from 'fastify';
import { message } from '../../config/languages/message.ts';
import { loginExpired } from '../../oauth/grants/mfa.ts';
import type { Variables } from '../kit/views.ts';
import type { PageKit, Visit } from '../kit/visit.ts';
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
  visit: Visit,
  { mfa_token, methods, next }: Step,
  variables: Variables = {},
): Promise<FastifyReply> {
  const codes = methods.filter((method) => method !== 'passkey');
  return visit.show('login-step', {
    title: message('login_step.title'),
    mfa_token,
    next,
    methods: methods.join(' '),
    about: codes[0] === undefined ? undefined : message(`login_step.about.${codes[0]}`),
    takes_code: codes.length > 0,
    takes_recovery: codes.length > 1 && methods.includes('recovery_code'),
    takes_passkey: methods.includes('passkey'),
    can_remember: visit.kit.config.mfaRemember > 0,
    remember_days: Math.round(visit.kit.config.mfaRemember / 86_400),
    ...variables,
  });
}

/** Opens the session in this browser. A login that must set up a second factor goes there first. */
export function startSession(visit: Visit, tokens: Tokens, next = '/settings'): Promise<FastifyReply> {
  visit.kit.cookies.setSession(visit.reply, tokens);
  return visit.redirect(tokens.scope === undefined ? next : '/settings/security');
}

/** The second step of a login, and sign-in with a passkey alone. */
export function serveSecondStep(kit: PageKit): void {
  const again = (visit: Visit, next: string | undefined, done: string) =>
    visit.redirect(`${kit.loginPath}${nextQuery(next)}${next ? '&' : '?'}done=${done}`);

  kit.form('/login-step', 'public', async (visit) => {
    const form = visit.form('mfa_token', 'methods', 'code', 'passkey', 'remember', 'next');
    const next = localPath(form.next);
    const { mfa_token } = form;
    const step = { mfa_token, methods: form.methods.split(' ').filter((name) => /^[a-z_]{1,20}$/.test(name)), next };
    if (form.code === '' && form.passkey === '') {
      return showSecondStep(visit.status(422), step, { errors: { code: message('login_step.missing') } });
    }
    const body: Record<string, string> = { mfa_token };
    if (form.passkey === '') body.code = form.code;
    else body.passkey = form.passkey;
    if (form.remember === 'on') body.remember = 'true';
    const answer = await kit.client.send(visit, body);
    if (answer.ok) return startSession(visit, answer.data, next);
    if (answer.detail === loginExpired) return again(visit, next, 'login-expired');
    const wrong = answer.code === 'invalid_grant' ? message('login_step.wrong') : answer.message;
    const variables = form.passkey === '' ? { errors: { code: wrong } } : { problem: wrong };
    if (answer.status === 429) visit.reply.header('retry-after', String(answer.retryAfter));
    return showSecondStep(visit.status(answer.status === 400 ? 422 : answer.status), step, variables);
  });

  kit.form('/login-passkey', 'public', async (visit) => {
    const form = visit.form('passkey', 'next');
    const next = localPath(form.next);
    const answer = await kit.client.send(visit, { passkey: form.passkey });
    return answer.ok ? startSession(visit, answer.data, next) : again(visit, next, 'passkey-refused');
  });
}
