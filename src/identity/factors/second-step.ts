import type { Context } from '../../database/context.ts';
import type { KeyRing } from '../../database/keys/key-ring.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { type Acr, meetsAcr } from '../../platform/proof.ts';
import { rolesOf, type UserRow } from '../accounts/user-store.ts';
import { findHeldFactors, hasSecondFactor } from './held-factor-store.ts';
import { isRemembered } from './remembered-browser-store.ts';

export type FactorMethod = 'totp' | 'passkey' | 'recovery_code' | 'email_code';

/** The next step after the first factor. */
export type SecondStep =
  | { readonly kind: 'none' }
  /** Asks for one of these methods. */
  | { readonly kind: 'prove'; readonly methods: readonly FactorMethod[] }
  /** The policy requires a second factor, but the user has none. This login can only set one up. */
  | { readonly kind: 'set-up' };

const noSecondStep: SecondStep = { kind: 'none' };

/** `firstMethod`: the proved factor. A mailbox counts as one factor only. `minAcr`: the level that the login must reach. */
export async function secondStepOf(
  context: Context,
  keys: KeyRing,
  user: Pick<UserRow, 'id' | 'roles' | 'email' | 'email_confirmed'>,
  {
    source,
    firstMethod,
    minAcr,
  }: { source: RequestSource; firstMethod: 'password' | 'email_code' | 'provider'; minAcr?: Acr | undefined },
): Promise<SecondStep> {
  const { config, database } = context;
  if (config.mfa === 'off') return noSecondStep;
  const factors = await findHeldFactors(database.db, user.id);
  if (hasSecondFactor(factors)) {
    const mayRemember = config.mfaRemember > 0 && !meetsAcr(minAcr ?? null, 'urn:gatehouse:2');
    if (mayRemember && (await isRemembered(context, keys, user.id, source))) return noSecondStep;
    const methods: FactorMethod[] = [];
    if (factors.authenticators > 0) methods.push('totp');
    if (factors.passkeys + factors.automaticPasskeys > 0) methods.push('passkey');
    if (factors.recoveryCodes > 0) methods.push('recovery_code');
    return { kind: 'prove', methods };
  }
  if (!isMfaRequired(context, user)) return noSecondStep;
  // Access to the mailbox also allows a password reset. So a mailed code is offered only if no stronger factor is set up.
  const mayUseEmailCode =
    config.emailCodes && firstMethod === 'password' && user.email !== null && user.email_confirmed === 1;
  return mayUseEmailCode ? { kind: 'prove', methods: ['email_code'] } : { kind: 'set-up' };
}

/** Whether the policy requires a second factor of this user. */
const isMfaRequired = ({ config: { mfa } }: Pick<Context, 'config'>, user: Pick<UserRow, 'roles'>): boolean =>
  mfa === 'required' || (mfa === 'admins' && rolesOf(user).includes('admin'));

/** The scopes of a login that must still set up a second factor. */
export const setUpScopes = ['authenticators:read', 'authenticators:write', 'passkeys:read', 'passkeys:write'];
