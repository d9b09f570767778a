import type { FastifyReply, FastifyRequest } from 'fastify';
import { type LocalizedText, message } from '../../config/languages/message.ts';
import { Problem } from '../../platform/errors.ts';
import { tokenOf, type WebSessions } from '../session/authenticate-web.ts';
import { callOwnApi } from '../session/own-api.ts';
import type { Variables } from './views.ts';

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
/** The part of the page kit that is used here. */
interface Kit {
  readonly webSessions: WebSessions;
  /** The providers at which this user can prove who they are. */
  proversOf(userId: string | null): Promise<readonly { name: string; label: string }[]>;
  show(request: FastifyRequest, reply: FastifyReply, view: string, variables: Variables): Promise<FastifyReply>;
}
type Form = Readonly<Record<string, unknown>>;

/** Ways to prove who one is on a page. Their fields have a prefix, so that they are not mixed up with what was typed. */
const methods = ['password', 'code', 'passkey'] as const;
const fieldOf = (method: string): string => `proof_${method}`;
const fields = new Set<string>(methods.map(fieldOf));

/** The proofs that were filled in. Whoever signed in with two factors sends two, or a passkey. */
function proofsIn(form: Form): Record<string, string> {
  const proofs: Record<string, string> = {};
  for (const method of methods) {
    const value = form[fieldOf(method)];
    if (typeof value !== 'string' || value.trim() === '') continue;
    proofs[method] = method === 'password' ? value : value.trim();
  }
  return proofs;
}

/**
 * A form whose effect needs a recent proof of identity. Where the proof is too old, the answer is a page that asks for a
 * proof and holds all that was typed. It sends both to the same address, so that the form goes on as if it had not been asked.
 */
export const provingInPlace =
  (kit: Kit, handler: Handler): Handler =>
  async (request, reply) => {
    const sent = (request.body ?? {}) as Form;
    const form: Form = Object.fromEntries(Object.entries(sent).filter(([name]) => !fields.has(name)));
    const body = proofsIn(sent);
    if (Object.keys(body).length > 0) {
      request.body = form;
      const proved = { method: 'POST', path: '/v1/sessions/current/proofs', body } as const;
      const answer = await callOwnApi(request, { ...proved, token: tokenOf(request) });
      if (!answer.ok) return ask(kit, request, reply.code(answer.status), form, wrong(answer));
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

/** The errors by field. A passkey has no field. */
function wrong(answer: { readonly errors: Readonly<Record<string, LocalizedText>>; readonly message: LocalizedText }) {
  const { password, code, passkey } = answer.errors;
  if (password) return { errors: { [fieldOf('password')]: password } };
  if (code) return { errors: { [fieldOf('code')]: message('login_step.wrong') } };
  return { problem: passkey ? message('passkey.failed') : answer.message };
}

async function ask(
  kit: Pick<Kit, 'show' | 'proversOf'>,
  request: FastifyRequest,
  reply: FastifyReply,
  form: Form,
  variables: Variables = {},
): Promise<FastifyReply> {
  const current = { method: 'GET', path: '/v1/sessions/current', token: tokenOf(request) } as const;
  const { ok, data } = await callOwnApi<{ proof_methods: string[] }>(request, current);
  const offered = ok ? data.proof_methods : ['password'];
  const typed = Object.entries(form).filter(([name, value]) => name !== '_csrf' && typeof value === 'string');
  return kit.show(request, reply, 'prove', {
    title: message('prove.title'),
    action: request.url.split('?', 1)[0],
    typed: typed.map(([name, value]) => ({ name, value })),
    takes_password: offered.includes('password'),
    takes_code: offered.includes('code'),
    takes_passkey: offered.includes('passkey'),
    provers: await kit.proversOf(request.caller.userId),
    ...variables,
  });
}
