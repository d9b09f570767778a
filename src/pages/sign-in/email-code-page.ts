import { message } from '../../config/languages/message.ts';
import type { FindDestination } from '../authorize/destinations.ts';
import type { PageKit, PageRequest } from '../kit/page-request.ts';
import type { Variables } from '../kit/views.ts';
import { callApi } from '../session/call-api.ts';
import { localPath, nextQuery } from '../session/local-path.ts';
import { isMfaRequired, showSecondStep, startSession } from './second-step.ts';

const path = '/login-code';

/**
 * Signs in with a mailed code instead of a password (EMAIL_CODES=on). The form contains the id of the code, so the code
 * works only in this browser.
 */
export function serveEmailCodes(kit: PageKit, findDestination: FindDestination): void {
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
    const response = await callApi<{ id: string }>(pageRequest.request, {
      method: 'POST',
      path: '/v1/email-codes',
      body: { email },
    });
    if (response.ok) return show(pageRequest, next, { id: response.data.id });
    const problem = response.errors.email ? undefined : response.message;
    if (response.status === 429) pageRequest.reply.header('retry-after', String(response.retryAfter));
    return show(pageRequest.status(response.status), next, { values: { email }, errors: response.errors, problem });
  });

  kit.form(`${path}/answer`, 'public', async (pageRequest) => {
    const { id, code, next: requestedNext } = pageRequest.form('id', 'code', 'next');
    const next = localPath(requestedNext);
    const wrong = message(code === '' ? 'login_step.missing' : 'login_step.wrong');
    if (code === '') return show(pageRequest.status(422), next, { id, errors: { code: wrong } });
    const destination = await findDestination(next);
    const response = await kit.client.send(pageRequest, { email_code: id, code, ...destination?.level });
    if (response.ok) return startSession(pageRequest, response.data, next);
    if (response.code === 'mfa_required' && isMfaRequired(response.data)) {
      return showSecondStep(pageRequest, { ...response.data, next });
    }
    if (response.status === 429) pageRequest.reply.header('retry-after', String(response.retryAfter));
    const problem = response.code === 'invalid_grant' ? { errors: { code: wrong } } : { problem: response.message };
    return show(pageRequest.status(response.status === 400 ? 422 : response.status), next, { id, ...problem });
  });
}
