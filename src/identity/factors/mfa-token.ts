import { hash, randomBytes } from 'node:crypto';
import type { Tx } from '../../database/database.ts';
import type { KeyRing } from '../../database/keys/key-ring.ts';
import { parseJson } from '../../platform/json-text.ts';
import type { UserRow } from '../accounts/user-store.ts';
import type { FactorMethod } from './second-step.ts';
import { consumeOnce } from './spent-value-store.ts';

const purpose = 'mfa token';
const lifetimeMs = 5 * 60_000;

/** The login page starts again on this error. */
export const loginExpired = 'This login has expired. Start again.';

/** The result of the first step of a login. The token is signed. Nothing is stored until it is used. */
export interface MfaTokenClaims {
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
  const signed: SignedMfaToken = { ...claims, nonce, expiresAt: now + lifetimeMs, password: fingerprint(user) };
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
