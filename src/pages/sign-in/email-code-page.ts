import { message } from '../../config/languages/message.ts';
import type { FindDestination } from '../authorize/destinations.ts';
import type { Variables } from '../kit/views.ts';
import type { PageKit, Visit } from '../kit/visit.ts';
import { callApi } from '../session/call-api.ts';
import { localPath, nextQuery } from '../session/local-path.ts';
import { isMfaRequired, showSecondStep, startSession } from './second-step.ts';

const path = '/login-code';

/**
 * Signs in with a mailed code instead of a password (EMAIL_CODES=on). The form contains the id of the code, so the code
 * works only in this browser.
 */
export function serveEmailCodes(kit: PageKit, findDestination: FindDestination): void {
  const show = (visit: Visit, next: string | undefined, variables: Variables = {}) =>
    visit.show('login-code', {
      title: message('login_code.title'),
      next,
      next_query: nextQuery(next),
      ...variables,
    });

  kit.page(path, 'public', (visit) => show(visit, localPath(visit.query.next)));

  kit.form(path, 'public', async (visit) => {
    const { email, next: wanted } = visit.form('email', 'next');
    const next = localPath(wanted);
    const answer = await callApi<{ id: string }>(visit.request, {
      method: 'POST',
      path: '/v1/email-codes',
      body: { email },
    });
    if (answer.ok) return show(visit, next, { id: answer.data.id });
    const problem = answer.errors.email ? undefined : answer.message;
    if (answer.status === 429) visit.reply.header('retry-after', String(answer.retryAfter));
    return show(visit.status(answer.status), next, { values: { email }, errors: answer.errors, problem });
  });

  kit.form(`${path}/answer`, 'public', async (visit) => {
    const { id, code, next: wanted } = visit.form('id', 'code', 'next');
    const next = localPath(wanted);
    const wrong = message(code === '' ? 'login_step.missing' : 'login_step.wrong');
    if (code === '') return show(visit.status(422), next, { id, errors: { code: wrong } });
    const destination = await findDestination(next);
    const answer = await kit.client.send(visit, { email_code: id, code, ...destination?.level });
    if (answer.ok) return startSession(visit, answer.data, next);
    if (answer.code === 'mfa_required' && isMfaRequired(answer.data)) {
      return showSecondStep(visit, { ...answer.data, next });
    }
    if (answer.status === 429) visit.reply.header('retry-after', String(answer.retryAfter));
    const problem = answer.code === 'invalid_grant' ? { errors: { code: wrong } } : { problem: answer.message };
    return show(visit.status(answer.status === 400 ? 422 : answer.status), next, { id, ...problem });
  });
}
