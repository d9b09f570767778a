import type { Tx } from '../../database/database.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { maxFailures } from '../credentials/check-credentials.ts';
import { knownBrowserOf } from '../credentials/known-browsers.ts';
import { checkWithinLimits, networkLimits } from '../throttle/throttle.ts';
import { readAuthenticatorSecret, unreadableAuthenticator } from './authenticator-secret.ts';
import { consumeStep, findConfirmed } from './authenticator-store.ts';
import { readEmailCode } from './email-codes.ts';
import { type FactorCheckServices, recordFactorChange } from './factor-services.ts';
import { type Assertion, readAssertion } from './passkeys.ts';
import {
  consumeRecoveryCode,
  countRecoveryCodes,
  hasRecoveryCode,
  isRecoveryCode,
  lowRecoveryCodes,
} from './recovery-code-store.ts';
import type { FactorMethod } from './second-step.ts';
import { isTotpCode, stepOfCode } from './totp.ts';

/** The values that a user sends to prove a factor. */
export interface FactorInput {
  readonly code?: string | undefined;
  /** The assertion of a passkey. */
  readonly passkey?: unknown;
  /** The id of the mailed code, if `code` may be a mailed code. */
  readonly emailCode?: string | undefined;
}

interface FactorAttempt {
  readonly userId: string;
  readonly methods: readonly FactorMethod[];
  readonly input: FactorInput;
  readonly source: RequestSource;
}

/** A valid factor. `consume` runs in the transaction of the operation and returns true only once. */
export interface ProvedFactor {
  /** RFC 8176. */
  readonly amr: readonly string[];
  consume(tx: Tx): Promise<boolean>;
}

/** RFC 8176: a key that can be copied to other devices is a software key. With user verification, a passkey is two factors. */
export const amrOfPasskey = ({ passkey }: Assertion): string[] => [
  passkey.backup_eligible ? 'swk' : 'hwk',
  'user',
  'mfa',
];

/** Checks a factor. Undefined if it is wrong or used. Blocks after 10 failures per account, or 100 per network. */
export async function proveFactor(services: FactorCheckServices, attempt: FactorAttempt) {
  const { context, keys } = services;
  const { userId, source } = attempt;
  const method = methodOf(attempt);
  if (method === undefined) return undefined;
  // A known browser has its own count: other people's guesses cannot lock out the owner.
  const browser = knownBrowserOf(keys, source, userId);
  const key = `factor:${method}:${userId}${browser === undefined ? '' : `:${browser}`}`;
  const account = { key, max: maxFailures.account, of: 'account', resetOnSuccess: true };
  const networks = browser === undefined ? networkLimits('login', source.address, maxFailures.address) : [];
  return checkWithinLimits(context, [account, ...networks], () => readers[method](services, attempt));
}

/** The method among the allowed methods that matches the form of the sent value. */
function methodOf({ methods, input: { code, passkey } }: FactorAttempt): FactorMethod | undefined {
  if (passkey !== undefined) return methods.includes('passkey') ? 'passkey' : undefined;
  if (code === undefined) return undefined;
  if (isRecoveryCode(code) && methods.includes('recovery_code')) return 'recovery_code';
  return (['totp', 'email_code', 'recovery_code'] as const).find((method) => methods.includes(method));
}

type Reader = (services: FactorCheckServices, attempt: FactorAttempt) => Promise<ProvedFactor | undefined>;

const readers: Record<FactorMethod, Reader> = {
  async passkey(services, { userId, input }) {
    const assertion = await readAssertion(services, input.passkey);
    if (assertion?.passkey.user_id !== userId) return undefined;
    return { amr: amrOfPasskey(assertion), consume: assertion.consume };
  },
  async totp(services, { userId, input: { code = '' } }) {
    const { context } = services;
    const plain = code.replaceAll(' ', '');
    if (!isTotpCode(plain)) return undefined;
    let isUnreadable = false;
    for (const row of await findConfirmed(context.database.db, userId)) {
      const secret = readAuthenticatorSecret(services, row);
      if (secret === undefined) {
        isUnreadable = true;
        continue;
      }
      const step = stepOfCode(secret, plain, context.now());
      if (step === undefined || step <= row.last_step) continue;
      return { amr: ['otp'], consume: (tx) => consumeStep(tx, row.id, step, context.now()) };
    }
    if (isUnreadable) throw unreadableAuthenticator();
    return undefined;
  },
  async recovery_code(services, { userId, input: { code = '' }, source }) {
    const { context } = services;
    if (!isRecoveryCode(code) || !(await hasRecoveryCode(context.database.db, userId, code))) return undefined;
    const consume = async (tx: Tx) => {
      if (!(await consumeRecoveryCode(tx, userId, code, context.now()))) return false;
      const remaining = await countRecoveryCodes(tx, userId);
      const notice = remaining <= lowRecoveryCodes ? 'recovery-codes-few' : 'recovery-code-used';
      await recordFactorChange(services, tx, {
        userId,
        event: 'recovery_code.used',
        notice,
        data: { left: remaining },
        source,
      });
      return true;
    };
    return { amr: ['otp'], consume };
  },
  async email_code(services, { userId, input: { code = '', emailCode } }) {
    const read =
      emailCode === undefined ? undefined : await readEmailCode(services, emailCode, code.replaceAll(' ', ''));
    return read?.user.id === userId ? { amr: ['otp'], consume: read.consume } : undefined;
  },
};
