import type { Caller } from '../../platform/caller.ts';
import { Problem } from '../../platform/errors.ts';
import {
  type Acr,
  isProofSufficient,
  meetsAcr,
  minAcrToRenew,
  type Proof,
  type ProofRequirement,
} from '../../platform/proof.ts';

/** For callers whose proof cannot be renewed. */
export const cannotProve = 'A personal access token or a client’s own token cannot prove your identity. Sign in.';

/** The challenge of RFC 9470 3: the token is valid, but its user has to authenticate again. */
export function proofTooOld(proof: Proof, requirement: ProofRequirement = {}): Problem {
  const { maxAge = proof.freshSeconds || undefined } = requirement;
  const acr = challengedAcr(proof, requirement.acr);
  const advice =
    acr === undefined
      ? 'Prove your identity again: send POST /v1/sessions/current/proofs, or add current_password to this request.'
      : `Prove your identity at the level ${acr}: send POST /v1/sessions/current/proofs.`;
  const detail = proof.renewable ? advice : cannotProve;
  const challenge = [
    'Bearer error="insufficient_user_authentication"',
    `error_description="${detail.replace('’', "'")}"`,
    ...(maxAge === undefined ? [] : [`max_age="${maxAge}"`]),
    ...(acr === undefined ? [] : [`acr_values="${acr}"`]),
  ].join(', ');
  return new Problem(401, 'Unauthorized', detail, {
    code: 'proof_too_old',
    headers: { 'WWW-Authenticate': challenge },
    members: { max_age: maxAge, acr_values: acr },
  });
}

/**
 * The `acr_values` of the challenge. A password alone does not renew a session with two factors, so the challenge then
 * names the level of two factors.
 */
function challengedAcr(proof: Proof, required: Acr | undefined): Acr | undefined {
  const minAcr = minAcrToRenew(proof);
  return meetsAcr(minAcr, 'urn:gatehouse:2') && !meetsAcr(required ?? null, minAcr) ? minAcr : required;
}

/** Requires a strong and recent proof. Reads it from the cached caller. The operator needs no proof. */
export function requireProof({ kind, proof }: Caller, now: number, requirement: ProofRequirement = {}): void {
  if (kind !== 'system' && !isProofSufficient(proof, now, requirement)) throw proofTooOld(proof, requirement);
}
