import type { Tx } from '../../../database/database.ts';
import { findUser } from '../../../identity/accounts/user-store.ts';
import { findHeldFactors, hasSecondFactor } from '../../../identity/factors/held-factor-store.ts';
import { type FactorMeans, type ProvedFactor, proveFactor } from '../../../identity/factors/prove-factor.ts';
import type { Method } from '../../../identity/factors/second-step.ts';
import { readProviderProof } from '../../../identity/providers/provider-proof.ts';
import { unprocessable } from '../../../platform/errors.ts';
import type { CheckedProof, ProofMethod } from './proof-methods.ts';

const wrong = (field: string) =>
  unprocessable([{ field, code: 'wrong', message: `${field} is wrong, or was used before.` }]);

const checked = (field: string, factor: ProvedFactor | undefined, step: CheckedProof['step'] = 'second') => {
  if (!factor) throw wrong(field);
  const use = async (tx: Tx) => {
    if (!(await factor.use(tx))) throw wrong(field);
  };
  return { amr: factor.amr, step, use };
};

/** The code of an authenticator app, or a recovery code. It renews a session of two factors by itself (contract 5.9). */
export const byCode = (means: FactorMeans): ProofMethod => ({
  async isOffered(userId) {
    const { authenticators, recoveryCodes } = await findHeldFactors(means.context.database.db, userId);
    return authenticators + recoveryCodes > 0;
  },
  async check({ userId, value, source }) {
    const methods: Method[] = ['totp', 'recovery_code'];
    const sent = { code: typeof value === 'string' ? value : '' };
    return checked('code', await proveFactor(means, { userId, methods, sent, source }), 'completing');
  },
});

/** The proof by a passkey of this user. */
export const byPasskey = (means: FactorMeans): ProofMethod => ({
  async isOffered(userId) {
    const { passkeys, automaticPasskeys } = await findHeldFactors(means.context.database.db, userId);
    return passkeys + automaticPasskeys > 0;
  },
  async check({ userId, value, source }) {
    const sent = { passkey: typeof value === 'string' ? parsed(value) : (value ?? {}) };
    return checked('passkey', await proveFactor(means, { userId, methods: ['passkey'], sent, source }));
  },
});

/** A form sends the assertion as text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return {};
  }
}

/**
 * `{ id, code }` of a code that was sent by mail (EMAIL_CODES=on). As at a login it is a second factor only for somebody who
 * has set up none: whoever reads the mail can set a new password too.
 */
export const byEmailCode = (means: FactorMeans): ProofMethod => ({
  isOffered: async (userId) => means.context.config.emailCodes && (await hasConfirmedEmail(means, userId)),
  async check({ userId, value, source }) {
    const { id, code } = (value ?? {}) as Record<string, unknown>;
    const sent = { code: String(code ?? ''), emailCode: String(id ?? '') };
    const factor = await proveFactor(means, { userId, methods: ['email_code'], sent, source });
    const held = await findHeldFactors(means.context.database.db, userId);
    return checked('email_code', factor, hasSecondFactor(held) ? 'first' : 'second');
  },
});

/** The page's statement that a user has just signed in again at a provider. Only the page can make it. */
export const byProvider = ({ context, keys }: FactorMeans): ProofMethod => ({
  isOffered: async () => false,
  async check({ sessionId, value }) {
    const proof = readProviderProof(keys, { sent: value, sessionId, now: context.now() });
    if (!proof) throw wrong('provider');
    const use = async (tx: Tx) => {
      if (!(await proof.use(tx))) throw wrong('provider');
    };
    return { amr: proof.factors === 2 ? ['fed', 'mfa'] : ['fed'], step: 'first', use };
  },
});

async function hasConfirmedEmail({ context: { database } }: FactorMeans, userId: string): Promise<boolean> {
  const user = await findUser(database.db, userId);
  return user?.email_confirmed === 1 && user.email !== null;
}
