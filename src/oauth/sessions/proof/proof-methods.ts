import type { Tx } from '../../../database/database.ts';
import type { RequestSource } from '../../../http/request-source.ts';
import { type Acr, reaches } from '../../../platform/proof.ts';

/** The body of a proof. */
export interface SentProof {
  readonly userId: string;
  readonly sessionId: string;
  /** As it came, and not looked at yet. */
  readonly value: unknown;
  readonly source: RequestSource;
}

export interface CheckedProof {
  /** RFC 8176. */
  readonly amr: readonly string[];
  /**
   * A first factor begins a login, a second factor completes it. One of each makes two factors. `completing` is a second
   * factor that also completes the login that opened the session: no first factor has to be sent with it.
   */
  readonly step: 'first' | 'second' | 'completing';
  /** Runs in the transaction that renews the proof: uses a code up, or refuses what has changed since it was checked. */
  use(tx: Tx): Promise<void>;
}

/** A way to prove who one is. */
export interface ProofMethod {
  /** Whether this user can use it now. */
  isOffered(userId: string): Promise<boolean>;
  /** Checks what was sent, outside of any transaction; throws what is wrong with it. It limits guesses itself. */
  check(sent: SentProof): Promise<CheckedProof>;
}

/** By the member of the body that brings it: `password`, `code`, … */
export type ProofMethods = Map<string, ProofMethod>;

/** The level that a method reaches together with the password. Other methods reach the level of the password. */
const levels = new Map<string, Acr>([
  ['code', 'urn:gatehouse:2'],
  ['recovery_code', 'urn:gatehouse:2'],
  ['passkey', 'phr'],
]);

/** The highest level that this user can prove, with all the methods that are offered to them. */
export async function highestAcr(methods: ProofMethods, userId: string): Promise<Acr> {
  let highest: Acr = 'urn:gatehouse:1';
  for (const [name, method] of methods) {
    const acr = levels.get(name);
    if (acr !== undefined && !reaches(highest, acr) && (await method.isOffered(userId))) highest = acr;
  }
  return highest;
}
