import type { Context } from '../../../database/context.ts';
import type { Tx } from '../../../database/database.ts';
import { unauthorized } from '../../../http/gate/unauthorized.ts';
import type { RequestSource } from '../../../http/request-source.ts';
import { findUser, lockUserWithHash } from '../../../identity/accounts/user-store.ts';
import { requireCurrentPassword, wrongPassword } from '../../../identity/credentials/require-password-or-proof.ts';
import { countHeldFactors, hasSecondFactor } from '../../../identity/factors/factor-count-store.ts';
import type { FactorCheckServices } from '../../../identity/factors/factor-services.ts';
import { type ProvedFactor, proveFactor } from '../../../identity/factors/prove-factor.ts';
import type { FactorMethod } from '../../../identity/factors/second-step.ts';
import { hasPassword, type Passwords } from '../../../identity/passwords/passwords.ts';
import { readProviderProof } from '../../../identity/providers/provider-proof.ts';
import { unprocessable } from '../../../platform/errors.ts';
import { asObject } from '../../../platform/is-object.ts';
import { tryParseJson } from '../../../platform/json-text.ts';
import { type Acr, meetsAcr } from '../../../platform/proof.ts';

/** The body of a proof. */
export interface ProofInput {
  readonly userId: string;
  readonly sessionId: string;
  /** The raw value, not checked yet. */
  readonly value: unknown;
  readonly source: RequestSource;
}

export interface CheckedProof {
  /** RFC 8176. */
  readonly amr: readonly string[];
  /** `first`, `second`: which factor this is. `completing`: a second factor that completes the login of the session. */
  readonly step: 'first' | 'second' | 'completing';
  /** Runs in the transaction that renews the proof. Marks a code as used, or throws if the credential changed after the check. */
  consume(tx: Tx): Promise<void>;
}

/** A way to prove the user's identity. */
export interface ProofMethod {
  /** Whether this user can use it now. */
  isOffered(userId: string): Promise<boolean>;
  /** Checks the proof, outside of any transaction. Throws if it is wrong. Limits guesses. */
  check(input: ProofInput): Promise<CheckedProof>;
}

/** The methods, by the name of their member in the request body: `password`, `code`, … */
export type ProofMethods = Map<string, ProofMethod>;

/** The level that a method reaches together with the password. Other methods reach the level of the password. */
const acrByMethod = new Map<string, Acr>([
  ['code', 'urn:gatehouse:2'],
  ['passkey', 'phr'],
]);

/** The highest level that this user can reach with the available methods. */
export async function highestAcr(methods: ProofMethods, userId: string): Promise<Acr> {
  let highest: Acr = 'urn:gatehouse:1';
  for (const [name, method] of methods) {
    const acr = acrByMethod.get(name);
    if (acr !== undefined && !meetsAcr(highest, acr) && (await method.isOffered(userId))) highest = acr;
  }
  return highest;
}

const passwordField = 'password';

export const byPassword = (context: Context, passwords: Passwords): ProofMethod => ({
  async isOffered(userId) {
    const user = await findUser(context.database.db, userId);
    return user !== undefined && hasPassword(user.password_hash);
  },
  async check({ userId, value, source }) {
    const user = await findUser(context.database.db, userId);
    if (!user) throw unauthorized('user_gone');
    await requireCurrentPassword(context, passwords, user, { field: passwordField, value, source });
    const consume = async (tx: Tx) => {
      // The password changed during the check.
      if (!(await lockUserWithHash(tx, context.database.engine, user))) throw wrongPassword(passwordField);
    };
    return { amr: ['pwd'], step: 'first', consume };
  },
});

const wrongProof = (field: string) =>
  unprocessable([{ field, code: 'wrong', message: `${field} is wrong, or was used before.` }]);

const toCheckedProof = (field: string, factor: ProvedFactor | undefined, step: CheckedProof['step'] = 'second') => {
  if (!factor) throw wrongProof(field);
  const consume = async (tx: Tx) => {
    if (!(await factor.consume(tx))) throw wrongProof(field);
  };
  return { amr: factor.amr, step, consume };
};

/** The code of an authenticator app, or a recovery code. It alone renews a session of two factors. */
export const byCode = (services: FactorCheckServices): ProofMethod => ({
  async isOffered(userId) {
    const { authenticators, recoveryCodes } = await countHeldFactors(services.context.database.db, userId);
    return authenticators + recoveryCodes > 0;
  },
  async check({ userId, value, source }) {
    const methods: FactorMethod[] = ['totp', 'recovery_code'];
    const input = { code: typeof value === 'string' ? value : '' };
    return toCheckedProof('code', await proveFactor(services, { userId, methods, input, source }), 'completing');
  },
});

export const byPasskey = (services: FactorCheckServices): ProofMethod => ({
  async isOffered(userId) {
    const { passkeys, automaticPasskeys } = await countHeldFactors(services.context.database.db, userId);
    return passkeys + automaticPasskeys > 0;
  },
  async check({ userId, value, source }) {
    // A form sends the assertion as text.
    const input = { passkey: (typeof value === 'string' ? tryParseJson(value) : value) ?? {} };
    return toCheckedProof('passkey', await proveFactor(services, { userId, methods: ['passkey'], input, source }));
  },
});

/** `{ id, code }` by mail (EMAIL_CODES=on): a second factor only for a user without another. */
export const byEmailCode = (services: FactorCheckServices): ProofMethod => ({
  isOffered: async (userId) => services.context.config.emailCodes && (await hasConfirmedEmail(services, userId)),
  async check({ userId, value, source }) {
    const { id, code } = asObject(value);
    const input = { code: String(code ?? ''), emailCode: String(id ?? '') };
    const factor = await proveFactor(services, { userId, methods: ['email_code'], input, source });
    const factors = await countHeldFactors(services.context.database.db, userId);
    return toCheckedProof('email_code', factor, hasSecondFactor(factors) ? 'first' : 'second');
  },
});

/** The sign-in page's signed statement that the user has just signed in again at a provider. */
export const byProvider = ({ context, keys }: FactorCheckServices): ProofMethod => ({
  isOffered: async () => false,
  async check({ sessionId, value }) {
    const proof = readProviderProof(keys, { sent: value, sessionId, now: context.now() });
    const amr = proof?.factors === 2 ? ['fed', 'mfa'] : ['fed'];
    return toCheckedProof('provider', proof && { amr, consume: proof.consume }, 'first');
  },
});

async function hasConfirmedEmail({ context: { database } }: FactorCheckServices, userId: string): Promise<boolean> {
  const user = await findUser(database.db, userId);
  return user?.email_confirmed === 1 && user.email !== null;
}
