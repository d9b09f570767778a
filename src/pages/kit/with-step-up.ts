import type { FastifyReply, FastifyRequest } from 'fastify';
import { type LocalizedText, message } from '../../config/languages/message.ts';
import { problemMessage } from '../../config/languages/problem-message.ts';
import { withoutQuery } from '../../http/without-query.ts';
import { Problem } from '../../platform/errors.ts';
import { asObject } from '../../platform/is-object.ts';
import { acrLevels, meetsAcr, minAcrToRenew } from '../../platform/proof.ts';
import { internalTokenOf } from '../session/authenticate-web.ts';
import { callApi } from '../session/call-api.ts';
import type { Handler, PageRequest } from './page-request.ts';
import type { Variables } from './views.ts';

type Form = Readonly<Record<string, unknown>>;

/** Proof methods on a page. Their fields have a prefix, so that they do not collide with the fields of the form. */
const methods = ['password', 'code', 'passkey', 'provider'] as const;
const fieldOf = (method: string): string => `proof_${method}`;
/** A mailed code has two fields and a button that sends it. */
const emailCodeFields = { send: 'proof_send_email', id: 'proof_email_id', code: 'proof_email_code' } as const;
/** The level that the form requires. It only decides which methods the page offers. */
const acrField = 'proof_acr';
const fields = new Set<string>([...methods.map(fieldOf), ...Object.values(emailCodeFields), acrField]);

export type ProofFields = Readonly<Record<string, unknown>>;

/** Renews the proof of the page's session. */
export const renewProofByForm = (request: FastifyRequest, body: ProofFields) =>
  callApi(request, { method: 'POST', path: '/v1/sessions/current/proofs', body, token: internalTokenOf(request) });

/** The proofs in the form. Several together reach a higher level. */
function proofsIn(form: Form): ProofFields {
  const proofs: Record<string, unknown> = {};
  for (const method of methods) {
    const value = form[fieldOf(method)];
    if (typeof value !== 'string' || value.trim() === '') continue;
    proofs[method] = method === 'password' ? value : value.trim();
  }
  const { [emailCodeFields.id]: id, [emailCodeFields.code]: code } = form;
  if (typeof code === 'string' && code.trim() !== '') proofs.email_code = { id, code: code.trim() };
  return proofs;
}

/** Asks for a proof if it is too old. The page repeats the typed values, so that the form continues afterwards. */
export const withStepUp =
  (handler: Handler): Handler =>
  async (pageRequest) => {
    const { request, reply } = pageRequest;
    const submitted = asObject(request.body);
    const form: Form = Object.fromEntries(Object.entries(submitted).filter(([name]) => !fields.has(name)));
    const proofs = proofsIn(submitted);
    // The proof of a provider and the sent code stay valid after an error in another field.
    const repeated = Object.fromEntries(
      [fieldOf('provider'), emailCodeFields.id, acrField].flatMap((name) =>
        name in submitted ? [[name, submitted[name]]] : [],
      ),
    );
    if (emailCodeFields.send in submitted) return sendCode(pageRequest, { ...form, ...repeated });
    if (Object.keys(proofs).length > 0) {
      request.body = form;
      const response = await renewProofByForm(request, proofs);
      if (!response.ok)
        return askForProof(pageRequest.statusOf(response), { ...form, ...repeated }, errorVariables(response));
      const caller = await pageRequest.kit.webSessions.require(request, reply);
      if (!caller) return reply;
      request.caller = caller;
    }
    try {
      return await handler(pageRequest);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'proof_too_old') throw error;
      // The proof is missing or wrong: name the proof that is required.
      const problem = Object.keys(proofs).length > 0 ? problemMessage(error.code, error.message) : undefined;
      reply.headers(error.headers);
      return askForProof(
        pageRequest.status(error.status),
        { ...form, [acrField]: error.members?.acr_values },
        { problem },
      );
    }
  };

/** Sends a code to the user's address, and asks for it. */
async function sendCode(pageRequest: PageRequest, form: Form): Promise<FastifyReply> {
  const { data } = await pageRequest.callAsUser<{ email?: string | null }>('GET', '/v1/users/me');
  const response = await pageRequest.call<{ id: string }>('POST', '/v1/email-codes', { email: data.email ?? '' });
  if (response.ok) return askForProof(pageRequest, { ...form, [emailCodeFields.id]: response.data.id });
  return askForProof(pageRequest.statusOf(response), form, { problem: response.message });
}

/** The errors by field. A passkey has no field. */
function errorVariables(response: {
  readonly errors: Readonly<Record<string, LocalizedText>>;
  readonly message: LocalizedText;
}) {
  const { password, code, passkey, email_code } = response.errors;
  if (password) return { errors: { [fieldOf('password')]: password } };
  if (code) return { errors: { [fieldOf('code')]: message('login_step.wrong') } };
  if (email_code) return { errors: { [emailCodeFields.code]: message('login_step.wrong') } };
  return { problem: passkey ? message('passkey.failed') : response.message };
}

/** Shows the page that asks for a proof. `form`: the values that the page repeats. */
export async function askForProof(pageRequest: PageRequest, form: Form, variables: Variables = {}) {
  const { request } = pageRequest;
  const { ok, data } = await pageRequest.callAsUser<{ proof_methods: string[] }>('GET', '/v1/sessions/current');
  const all = ok ? data.proof_methods : ['password'];
  const { userId, proof } = request.caller;
  // The password does not renew a session of two factors. The code, or the passkey, does so alone.
  const acr = acrLevels.find((level) => level === form[acrField]) ?? minAcrToRenew(proof);
  const byFactor = meetsAcr(acr, 'urn:gatehouse:2') && (all.includes('code') || all.includes('passkey'));
  const offered = byFactor ? all.filter((name) => name !== 'password') : all;
  const provers = userId === null ? [] : await pageRequest.kit.providers.buttonsOf(userId);
  const optional = offered.length + provers.length > 1;
  const typed = Object.entries(form).filter(([name, value]) => name !== '_csrf' && typeof value === 'string');
  return pageRequest.show('prove', {
    title: message('prove.title'),
    about: message('prove.about'),
    action: withoutQuery(request.url),
    typed: typed.map(([name, value]) => ({ name, value })),
    takes_password: offered.includes('password'),
    takes_code: offered.includes('code'),
    takes_passkey: offered.includes('passkey'),
    takes_email_code: offered.includes('email_code'),
    email_id: form[emailCodeFields.id],
    password_optional: optional,
    code_optional: optional,
    provers,
    ...variables,
  });
}
