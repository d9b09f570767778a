/** The levels of a proof of identity, weakest first: one factor, two factors, phishing-resistant. */
export const acrLevels = ['urn:gatehouse:1', 'urn:gatehouse:2', 'phr'] as const;
export type Acr = (typeof acrLevels)[number];

/** How and when the owner of a session last proved their identity. A refresh does not renew it. */
export interface Proof {
  /** Milliseconds since 1970. Null for a personal access token and a client's own token. */
  readonly time: number | null;
  /** Methods, by their names in RFC 8176. */
  readonly amr: readonly string[];
  readonly acr: Acr | null;
  /** The number of seconds for which a proof is recent (the setting FRESH_PROOF). 0: a recent proof is never required. */
  readonly freshSeconds: number;
  /** False if the proof cannot be renewed: a personal access token, a client's own token. */
  readonly renewable: boolean;
  /** Whether the password of this request is right. Undefined without a password. */
  readonly passwordInRequest?: boolean;
}

export const noProof: Proof = Object.freeze({ time: null, amr: [], acr: null, freshSeconds: 900, renewable: false });

export interface ProofRequirement {
  /** The maximum age in seconds. The default is FRESH_PROOF. */
  readonly maxAge?: number | undefined;
  /** The default is any level. */
  readonly acr?: Acr | undefined;
}

/** RFC 8176: a key that signs a challenge cannot be phished. */
const phishingResistant = ['hwk', 'swk', 'pop'];

/** The level that these methods reach together. `mfa` states that two factors were checked. */
export function acrOf(amr: readonly string[]): Acr {
  if (amr.some((method) => phishingResistant.includes(method))) return 'phr';
  return amr.includes('mfa') ? 'urn:gatehouse:2' : 'urn:gatehouse:1';
}

export const lowestAcr = (values: readonly unknown[]) => acrLevels.find((level) => values.includes(level));

export const meetsAcr = (acr: Acr | null, minAcr: Acr): boolean =>
  acr !== null && acrLevels.indexOf(acr) >= acrLevels.indexOf(minAcr);

export function isProofSufficient(proof: Proof, now: number, { maxAge, acr }: ProofRequirement = {}): boolean {
  if (acr !== undefined && !meetsAcr(proof.acr, acr)) return false;
  if (maxAge === undefined && proof.freshSeconds === 0) return true;
  return proof.time !== null && now - proof.time <= (maxAge ?? proof.freshSeconds) * 1000;
}

/** The lowest level for a new proof: a session with two factors cannot continue with one. */
export const minAcrToRenew = ({ acr }: Proof): Acr =>
  meetsAcr(acr, 'urn:gatehouse:2') ? 'urn:gatehouse:2' : 'urn:gatehouse:1';

/** The proof of a request that contains the password. If the password alone is too weak, the proof is not recent. */
export function proofWithPassword(proof: Proof, now: number): Proof {
  if (!proof.renewable || !meetsAcr(acrOf(['pwd']), minAcrToRenew(proof))) return { ...proof, passwordInRequest: true };
  return { ...proof, time: now, amr: ['pwd'], acr: acrOf(['pwd']), passwordInRequest: true };
}
