import { changeAs, type LockAuthority } from '../../../database/change-as.ts';
import type { Context } from '../../../database/context.ts';
import { cannotProve, proofTooOld } from '../../../http/gate/require-proof.ts';
import type { RequestSource } from '../../../http/request-source.ts';
import { type Caller, userIdOf } from '../../../platform/caller.ts';
import { type FieldError, forbidden, unprocessable } from '../../../platform/errors.ts';
import { meetsAcr, minAcrToRenew, type Proof } from '../../../platform/proof.ts';
import { recordEvent } from '../../../resources/audit/record-event.ts';
import { type Authentication, authenticatedBy } from '../store/authentication.ts';
import { updateProof } from '../store/proof-store.ts';
import type { CheckedProof, ProofInput, ProofMethods } from './proof-methods.ts';

interface Renewal {
  readonly caller: Caller;
  /** By the names of the methods. Several methods together reach a higher level. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly source: RequestSource;
}

/** Renews the proof of the caller's session. Returns when every instance knows the new proof, so that the token works at once. */
export async function renewProof(
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
export function requireRenewableSession({ proof, sessionId }: Caller): string {
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
      message: `${field} is not a kind of proof. There are: ${methodNames.join(', ')}.`,
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
