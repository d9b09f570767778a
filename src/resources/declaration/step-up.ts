import { type TSchema, Type } from 'typebox';
import { requireProof } from '../../http/gate/require-proof.ts';
import type { Caller } from '../../platform/caller.ts';
import { closestName } from '../../platform/closest-name.ts';
import { Problem } from '../../platform/errors.ts';
import { parseDuration } from '../../platform/parse-duration.ts';
import { type Acr, acrLevels, type ProofRequirement } from '../../platform/proof.ts';

export interface StepUp {
  /** `1`: one factor. `2`: two factors. `'phr'`: a phishing-resistant factor. The default is any factor. */
  readonly acr?: 1 | 2 | 'phr';
  /** The maximum age of the proof: seconds, or a text such as `'30s'`, `'5m'`, `'1h'`. The default is the setting FRESH_PROOF. */
  readonly maxAge?: number | string;
}

const levels = new Map<unknown, Acr>([
  [1, acrLevels[0]],
  [2, acrLevels[1]],
  ['phr', acrLevels[2]],
]);

/** A rule that requires a strong and recent proof of identity. The API reference describes `requirements`. */
export type StepUpRule = ((caller: Caller, now: number) => true) & {
  readonly requirements?: readonly ProofRequirement[];
};

/** Requires a recent proof. Otherwise the response is 401 `proof_too_old`: `allOf(role('admin'), stepUp({ acr: 2, maxAge: '5m' }))`. */
export function stepUp(options: StepUp = {}): StepUpRule {
  const requirement = readStepUp(options);
  const rule = (caller: Caller, now: number): true => {
    requireProof(caller, now, requirement);
    return true;
  };
  return Object.assign(rule, { requirements: [requirement] });
}

/** An error stops the start, and `gatehouse check` names the file. */
function readStepUp(options: StepUp): ProofRequirement {
  const optionNames = ['acr', 'maxAge'];
  for (const name of Object.keys(options)) {
    if (optionNames.includes(name)) continue;
    const suggestion = closestName(name, optionNames);
    throw new TypeError(
      `stepUp takes acr and maxAge, not "${name}".${suggestion ? ` Did you mean ${suggestion}?` : ''}`,
    );
  }
  const { acr, maxAge } = options;
  const level = levels.get(acr);
  if (acr !== undefined && level === undefined)
    throw new TypeError(`stepUp: acr takes 1, 2 or 'phr', not ${JSON.stringify(acr)}.`);
  return { acr: level, maxAge: maxAge === undefined ? undefined : readAge(maxAge) };
}

function readAge(maxAge: unknown): number {
  const age = typeof maxAge === 'number' ? maxAge : (parseDuration(String(maxAge)) ?? 0) / 1000;
  if (Number.isInteger(age) && age > 0) return age;
  throw new TypeError(`stepUp: maxAge takes seconds, or a string such as '5m', not ${JSON.stringify(maxAge)}.`);
}

export const stepUpRequirements = (rules: readonly unknown[]): readonly ProofRequirement[] =>
  rules.flatMap((rule) => (typeof rule === 'function' ? ((rule as StepUpRule).requirements ?? []) : []));

/** For the API reference: the body of a request that has no other members. The engine reads the password. */
export const proofBody: TSchema = Type.Object(
  {
    current_password: Type.Optional(
      Type.String({ description: 'Your password. It counts as a recent proof of identity for this request.' }),
    ),
  },
  { additionalProperties: false, examples: [{}] },
);

/** A sentence for the API reference, or nothing. */
export function stepUpText(rule: unknown): string {
  const [requirement] = stepUpRequirements([rule]);
  if (!requirement) return '';
  const { acr, maxAge } = requirement;
  const parts = [
    ...(acr === undefined ? [] : [`at the level \`${acr}\``]),
    maxAge === undefined ? 'as recent as FRESH_PROOF says' : `at most ${maxAge} seconds old`,
  ];
  return ` Needs a proof of identity ${parts.join(' and ')}: else 401 \`proof_too_old\` (RFC 9470).`;
}

/** The error, if a new proof would resolve it. */
export const asProofTooOld = (error: unknown): Problem | undefined =>
  error instanceof Problem && error.code === 'proof_too_old' ? error : undefined;

/** The caller with a perfect proof, to test whether only the proof is missing. */
export const withFullProof = (caller: Caller, now: number): Caller => ({
  ...caller,
  proof: { ...caller.proof, time: now, acr: 'phr' },
});
