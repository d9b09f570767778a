import type { Caller } from '../../platform/caller.ts';
import { Problem } from '../../platform/errors.ts';
import {
  type Acr,
  isProven,
  meetsAcr,
  minAcrToRenew,
  type Proof,
  type ProofRequirement,
} from '../../platform/proof.ts';

/** RFC 9470 3: the token is valid, but its user has to authenticate again. */
export function proofTooOld(proof: Proof, demand: ProofRequirement = {}): Problem {
  const { maxAge = proof.freshSeconds || undefined } = demand;
  const acr = levelToName(proof, demand.acr);
  const detail =
    acr === undefined
      ? 'Prove your identity again: send POST /v1/sessions/current/proofs, or add current_password to this request.'
      : `Prove your identity at the level ${acr}: send POST /v1/sessions/current/proofs.`;
  const challenge = [
    'Bearer error="insufficient_user_authentication"',
    `error_description="${detail}"`,
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
 * The level in the challenge. The password alone does not renew a session with two factors, so the challenge names
 * that level.
 */
function levelToName(proof: Proof, demanded: Acr | undefined): Acr | undefined {
  const least = minAcrToRenew(proof);
  return meetsAcr(least, 'urn:gatehouse:2') && !meetsAcr(demanded ?? null, least) ? least : demanded;
}

/** Contract 5.9: requires a strong and recent proof, from the cached caller. The operator needs none. */
export function requireProof({ kind, proof }: Caller, now: number, demand: ProofRequirement = {}): void {
  if (kind !== 'system' && !isProven(proof, now, demand)) throw proofTooOld(proof, demand);
}
