import type { FastifyReply, FastifyRequest } from 'fastify';
import { message } from '../../config/languages/message.ts';
import type { FindDestination } from '../authorize/destinations.ts';
import { type PageKit, queryOf, readForm } from '../kit/page-kit.ts';
import type { Variables } from '../kit/views.ts';
import { localPath, nextQuery } from '../session/local-path.ts';
import { callOwnApi } from '../session/own-api.ts';
import { isMfaRequired, showSecondStep } from './second-step.ts';

const path = '/login-code';

/** Signing in with a code by mail instead of a password (EMAIL_CODES=on). The form holds the id of the code: it works in this browser alone. */
export function serveEmailCodes(kit: PageKit, findDestination: FindDestination): void {
  const show = (request: FastifyRequest, reply: FastifyReply, next: string | undefined, variables: Variables = {}) =>
    kit.show(request, reply, 'login-code', {
      title: message('login_code.title'),
      next,
      next_query: nextQuery(next),
      ...variables,
    });

  kit.page(path, 'public', (request, reply) => show(request, reply, localPath(queryOf(request).next)));

  kit.form(path, 'public', async (request, reply) => {
    const { email, next: wanted } = readForm(request, 'email', 'next');
    const next = localPath(wanted);
    const answer = await callOwnApi<{ id: string }>(request, {
      method: 'POST',
      path: '/v1/email-codes',
      body: { email },
    });
    if (answer.ok) return show(request, reply, next, { id: answer.data.id });
    const problem = answer.errors.email ? undefined : answer.message;
    if (answer.status === 429) reply.header('retry-after', String(answer.retryAfter));
    return show(request, reply.code(answer.status), next, { values: { email }, errors: answer.errors, problem });
  });

  kit.form(`${path}/answer`, 'public', async (request, reply) => {
    const { id, code, next: wanted } = readForm(request, 'id', 'code', 'next');
    const next = localPath(wanted);
    const wrong = message(code === '' ? 'login_step.missing' : 'login_step.wrong');
    if (code === '') return show(request, reply.code(422), next, { id, errors: { code: wrong } });
    const destination = await findDestination(next);
    const answer = await kit.client.send(request, reply, { email_code: id, code, ...destination?.level });
    if (answer.ok) {
      kit.cookies.setSession(reply, answer.data);
      return kit.go(reply, answer.data.scope === undefined ? (next ?? '/settings') : '/settings/security');
    }
    if (answer.code === 'mfa_required' && isMfaRequired(answer.data)) {
      return showSecondStep(kit, request, reply, { ...answer.data, next });
    }
    if (answer.status === 429) reply.header('retry-after', String(answer.retryAfter));
    const problem = answer.code === 'invalid_grant' ? { errors: { code: wrong } } : { problem: answer.message };
    return show(request, reply.code(answer.status === 400 ? 422 : answer.status), next, { id, ...problem });
  });
}
