import { Type } from 'typebox';
import { changeAs, type LockAuthority } from '../../../database/change-as.ts';
import type { Context } from '../../../database/context.ts';
import type { App } from '../../../http/app.ts';
import { cannotProve, proofTooOld } from '../../../http/gate/require-proof.ts';
import { noValidation } from '../../../http/no-validation.ts';
import { type RequestSource, requestSource } from '../../../http/request-source.ts';
import { type Caller, userIdOf } from '../../../platform/caller.ts';
import { type FieldError, forbidden, unprocessable } from '../../../platform/errors.ts';
import { asObject } from '../../../platform/is-object.ts';
import { meetsAcr, minAcrToRenew, type Proof } from '../../../platform/proof.ts';
import { recordEvent } from '../../../resources/audit/record-event.ts';
import { type Authentication, authenticatedBy, updateProof } from '../store/session-store.ts';
import type { CheckedProof, ProofInput, ProofMethods } from './proof-methods.ts';

const ProofView = Type.Object({
  auth_time: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    description: 'The time at which the owner of the session last authenticated. A refresh does not change it.',
  }),
  amr: Type.Array(Type.String(), { description: 'The authentication methods (RFC 8176).' }),
  acr: Type.Union([Type.String(), Type.Null()], {
    description: 'urn:gatehouse:1 (one factor), urn:gatehouse:2 (two factors), phr (phishing-resistant).',
  }),
});

const proofJson = ({ time, amr, acr }: { time: number | null; amr: readonly string[]; acr: string | null }) => ({
  auth_time: time === null ? null : new Date(time).toISOString(),
  amr: [...amr],
  acr,
});

/** Shows the proof of the caller's session and the ways to renew it, and renews it. */
export function serveProofs(
  app: App,
  context: Context,
  { lockAuthority, methods }: { readonly lockAuthority: LockAuthority; readonly methods: ProofMethods },
): void {
  const offeredMethods = async ({ userId }: Caller): Promise<string[]> => {
    const names: string[] = [];
    if (userId === null) return names;
    for (const [name, method] of methods) if (await method.isOffered(userId)) names.push(name);
    return names;
  };

  app.get(
    '/v1/sessions/current',
    {
      config: { auth: 'auth:api' },
      schema: {
        tags: ['sessions'],
        summary: 'Show the current session, and how its owner can renew the proof of identity',
        response: {
          200: Type.Object({
            data: Type.Object({
              id: Type.String(),
              ...ProofView.properties,
              proof_methods: Type.Array(Type.String(), {
                description: 'The members that this user can send to POST /v1/sessions/current/proofs.',
              }),
            }),
          }),
        },
      },
    },
    async ({ caller }) => {
      const id = requireRenewableSession(caller);
      return { data: { id, ...proofJson(caller.proof), proof_methods: await offeredMethods(caller) } };
    },
  );

  app.post(
    '/v1/sessions/current/proofs',
    {
      ...noValidation,
      config: { auth: 'auth:api' },
      schema: {
        tags: ['sessions'],
        summary: 'Renew the proof of identity',
        description:
          'Renews the proof of the session (RFC 9470), for operations that return 401 `proof_too_old`. The same token stays valid. ' +
          'A request with several members reaches a higher level.',
        body: Type.Object({ password: Type.Optional(Type.String()) }, { additionalProperties: true }),
        response: { 201: Type.Object({ data: ProofView }) },
      },
    },
    async (request, reply) => {
      const { caller, body } = request;
      const renewal = { caller, body: asObject(body), source: requestSource(request) };
      const proof = await renewProof(context, lockAuthority, methods, renewal);
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .send({ data: proofJson(proof) });
    },
  );
}

interface Renewal {
  readonly caller: Caller;
  /** By the names of the methods. Several methods together reach a higher level. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly source: RequestSource;
}

/** Renews the proof of the caller's session. Returns when every instance knows the new proof, so that the token works at once. */
async function renewProof(
  context: Context,
  lockAuthority: LockAuthority,
  methods: ProofMethods,
  { caller, body, source }: Renewal,
): Promise<Authentication> {
  const { clientId } = caller;
  const sessionId = requireRenewableSession(caller);
  const userId = userIdOf(caller);
  const input = { userId, sessionId, source };
  const checked = await checkProofs(methods, body, input);
  const proof = authenticatedBy(combinedAmr(checked, caller.proof), context.now());
  const minAcr = minAcrToRenew(caller.proof);
  if (!meetsAcr(proof.acr, minAcr)) throw proofTooOld(caller.proof, { acr: minAcr });
  await changeAs(context.database, lockAuthority, { caller, changesAccounts: true }, async (tx, invalidate) => {
    for (const { consume } of checked) await consume(tx);
    await updateProof(tx, sessionId, proof);
    invalidate({ kind: 'session', id: sessionId });
    const data = { amr: proof.amr, acr: proof.acr };
    await recordEvent(context, tx, { type: 'session.proved', userId, clientId, sessionId, source, data });
  });
  return proof;
}

/** The id of the session. Throws unless a user opened the session by signing in. */
function requireRenewableSession({ proof, sessionId }: Caller): string {
  if (proof.renewable && sessionId !== null) return sessionId;
  throw forbidden(cannotProve);
}

/** First factors that a code completes. A passkey is not reused, because it would raise the level. */
const firstFactors = ['pwd', 'fed'];

function combinedAmr(checked: readonly CheckedProof[], before: Proof): string[] {
  const steps = new Set(checked.map(({ step }) => step));
  const checkedAmr = checked.flatMap(({ amr }) => amr);
  const completes = steps.has('completing');
  const earlier = completes && !steps.has('first') ? before.amr.filter((method) => firstFactors.includes(method)) : [];
  return [...new Set([...earlier, ...checkedAmr, ...(completes || steps.size > 1 ? ['mfa'] : [])])];
}

async function checkProofs(methods: ProofMethods, body: Renewal['body'], input: Omit<ProofInput, 'value'>) {
  const methodNames = [...methods.keys()];
  const errors: FieldError[] = Object.keys(body)
    .filter((name) => !methods.has(name))
    .map((field) => ({
      field,
      code: 'unknown',
      message: `${field} is not a kind of proof. Expected one of: ${methodNames.join(', ')}.`,
    }));
  if (errors.length > 0) throw unprocessable(errors);
  if (Object.keys(body).length === 0) {
    const [field = ''] = methodNames;
    throw unprocessable([{ field, code: 'required', message: `Send one of ${methodNames.join(', ')}.` }]);
  }
  const checked: CheckedProof[] = [];
  // In order: if the password is wrong, the code is not checked.
  for (const [name, method] of methods) {
    if (name in body) checked.push(await method.check({ ...input, value: body[name] }));
  }
  return checked;
}
