import { hash, randomBytes } from 'node:crypto';
import type { Context } from '../../database/context.ts';
import type { Tx } from '../../database/database.ts';
import type { KeyRing } from '../../database/keys/key-ring.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { parseJson } from '../../platform/json-text.ts';
import { type Acr, meetsAcr } from '../../platform/proof.ts';
import { rolesOf, type UserRow } from '../accounts/user-store.ts';
import { countHeldFactors, hasSecondFactor } from './factor-count-store.ts';
import { isRemembered } from './remembered-browser-store.ts';
import { consumeOnce } from './spent-value-store.ts';

export type FactorMethod = 'totp' | 'passkey' | 'recovery_code' | 'email_code';

/** The next step after the first factor. */
type SecondStep =
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
  const factors = await countHeldFactors(database.db, user.id);
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

const purpose = 'mfa token';
export const mfaTokenLifetimeMs = 5 * 60_000;

/** The login page starts again on this error. */
export const loginExpired = 'This login has expired. Start again.';

/** The result of the first step of a login. The token is signed. Nothing is stored until it is used. */
interface MfaTokenClaims {
  readonly userId: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly resource: readonly string[];
  /** RFC 8176. */
  readonly amr: readonly string[];
  readonly methods: readonly FactorMethod[];
  /** After a sign-in with a provider: the identity, and the session there. */
  readonly identity?: { readonly id: string; readonly sid: string | null } | undefined;
  /** If the methods include `email_code`: the id of the code that was sent. */
  readonly emailCode?: string | undefined;
}

interface SignedMfaToken extends MfaTokenClaims {
  readonly nonce: string;
  readonly expiresAt: number;
  /** A fingerprint of the password hash: a new password voids the first step. */
  readonly password: string;
}

const fingerprint = ({ password_hash }: Pick<UserRow, 'password_hash'>): string =>
  hash('sha256', password_hash, 'base64url').slice(0, 16);

export function createMfaToken(keys: KeyRing, user: UserRow, claims: MfaTokenClaims, now: number): string {
  const nonce = randomBytes(16).toString('base64url');
  const signed: SignedMfaToken = { ...claims, nonce, expiresAt: now + mfaTokenLifetimeMs, password: fingerprint(user) };
  const payload = Buffer.from(JSON.stringify(signed)).toString('base64url');
  return `mfa.${payload}.${keys.macKeys.mac(purpose, payload)}`;
}

/** Undefined if the token is invalid or expired. */
export function readMfaToken(keys: KeyRing, token: string, now: number): SignedMfaToken | undefined {
  const [, payload, mac] = /^mfa\.([\w-]{1,8000})\.([\w-]{43})$/.exec(token) ?? [];
  if (payload === undefined || mac === undefined || !keys.macKeys.matches(purpose, payload, mac)) return undefined;
  const signed = parseJson<SignedMfaToken>(Buffer.from(payload, 'base64url').toString());
  return signed.expiresAt > now ? signed : undefined;
}

export const isSamePassword = (signed: Pick<SignedMfaToken, 'password'>, user: UserRow): boolean =>
  signed.password === fingerprint(user);

/** Uses up the token, in the transaction that opens the session. */
export const consumeMfaToken = (tx: Tx, { nonce, expiresAt }: SignedMfaToken): Promise<boolean> =>
  consumeOnce(tx, `mfa:${nonce}`, expiresAt);
