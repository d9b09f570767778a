import type { FastifyReply, FastifyRequest } from 'fastify';
import { message } from '../../config/languages/message.ts';
import { Problem } from '../../platform/errors.ts';
import { tokenOf, type WebSessions } from '../session/authenticate-web.ts';
import { callOwnApi } from '../session/own-api.ts';
import type { Variables } from './views.ts';

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
/** What of the page kit is used here. */
interface Kit {
  readonly webSessions: WebSessions;
  show(request: FastifyRequest, reply: FastifyReply, view: string, variables: Variables): Promise<FastifyReply>;
}
type Form = Readonly<Record<string, unknown>>;

const field = 'proof_password';
const codeField = 'proof_code';

/** Whoever signed in with two factors proves both. */
const proofOf = (password: string, code: unknown): Record<string, string> =>
  typeof code === 'string' && code.trim() !== '' ? { password, code: code.trim() } : { password };

/**
 * A form whose effect needs a recent proof of identity. Where the proof is too old, the answer is a page that asks for the
 * password and holds all that was typed. It sends both to the same address, so that the form goes on as if it had not been asked.
 */
export const provingInPlace =
  (kit: Kit, handler: Handler): Handler =>
  async (request, reply) => {
    const { [field]: password, [codeField]: code, ...form } = (request.body ?? {}) as Form;
    if (typeof password === 'string') {
      request.body = form;
      const proved = { method: 'POST', path: '/v1/sessions/current/proofs', body: proofOf(password, code) } as const;
      const answer = await callOwnApi(request, { ...proved, token: tokenOf(request) });
      if (!answer.ok) {
        const error = answer.errors.password;
        const wrong = error ? { errors: { [field]: error } } : { problem: answer.message };
        return ask(kit, request, reply.code(answer.status), form, wrong);
      }
      const caller = await kit.webSessions.require(request, reply);
      if (!caller) return reply;
      request.caller = caller;
    }
    try {
      return await handler(request, reply);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'proof_too_old') throw error;
      return ask(kit, request, reply.code(error.status).headers(error.headers), form);
    }
  };

function ask(
  kit: Pick<Kit, 'show'>,
  request: FastifyRequest,
  reply: FastifyReply,
  form: Form,
  variables: Variables = {},
): Promise<FastifyReply> {
  const typed = Object.entries(form).filter(([name, value]) => name !== '_csrf' && typeof value === 'string');
  return kit.show(request, reply, 'prove', {
    title: message('prove.title'),
    action: request.url.split('?', 1)[0],
    typed: typed.map(([name, value]) => ({ name, value })),
    ...variables,
  });
}
