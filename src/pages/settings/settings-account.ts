import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { message } from '../../config/languages/message.ts';
import type { Context } from '../../database/context.ts';
import { requestSource } from '../../http/request-source.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import { type PageKit, readForm } from '../kit/page-kit.ts';
import { ownData } from './own-data.ts';
import { asPerson, hasOwnPassword, refusal, showSettings } from './settings-shell.ts';

const base = '/settings/account';

/** Export of a user's own data, and deletion of the account. */
export function serveAccount(kit: PageKit, context: Context): void {
  kit.page(base, 'auth:web', (request, reply) => showAccount(kit, request, reply));
  kit.form(`${base}/export`, 'auth:web', (request, reply) => sendOwnData(kit, context, request, reply));
  kit.form(`${base}/delete`, 'auth:web', (request, reply) => deleteAccount(kit, request, reply));
  kit.page('/account-deleted', 'public', (request, reply) =>
    kit.show(request, reply, 'message', {
      title: message('account.deleted'),
      lines: [message('account.deleted_about')],
    }),
  );
}

const showAccount = async (kit: PageKit, request: FastifyRequest, reply: FastifyReply, variables: object = {}) =>
  showSettings(kit, request, reply, 'account', 'settings/account', {
    title: message('account.title'),
    has_password: await hasOwnPassword(kit, request),
    ...variables,
  });

/** Records the event first, so that the audit trail and the export itself contain the export. */
async function sendOwnData(
  kit: PageKit,
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { userId, sessionId } = request.caller;
  await recordEvent(context, kit.database.db, {
    ...{ type: 'user.exported', userId, sessionId, source: requestSource(request) },
  });
  const day = new Date(kit.now()).toISOString().slice(0, 10);
  return reply
    .type('application/json; charset=utf-8')
    .header('content-disposition', `attachment; filename="my-data-${day}.json"`)
    .header('cache-control', 'no-store')
    .send(Readable.from(ownData(kit, request)));
}

/** By the API, which asks for the password or a recent proof, and for a token that may do everything. */
async function deleteAccount(kit: PageKit, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const body = readForm(request, 'current_password');
  const answer = await asPerson(request, 'DELETE', `/v1/users/${request.caller.userId}`, body);
  if (!answer.ok) return showAccount(kit, request, reply.code(answer.status), refusal(answer, ['current_password']));
  kit.cookies.clearSession(reply);
  return kit.go(reply, '/account-deleted');
}
