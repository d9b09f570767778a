import { randomBytes } from 'node:crypto';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { readBrand } from '../../config/brand.ts';
import type { Config } from '../../config/config.ts';
import type { Tx } from '../../database/database.ts';
import type { KeyRing } from '../../database/keys/key-ring.ts';
import { uuidv7 } from '../../database/uuid.ts';
import { reasonOf } from '../../platform/errors.ts';
import { parseJson } from '../../platform/json-text.ts';
import type { UserRow } from '../accounts/user-store.ts';
import type { FactorCheckServices } from './factor-services.ts';
import {
  findPasskey,
  findPasskeys,
  insertPasskey,
  type PasskeyRow,
  passkeyHandle,
  recordPasskeyUse,
} from './passkey-store.ts';
import { consumeOnce } from './spent-value-store.ts';

type Macs = Pick<KeyRing, 'macKeys'>;

const macPurpose = 'passkey challenge';
const lifetimeMs = 5 * 60_000;

/** `automatic`: the browser may create the passkey without asking the user (conditional create). */
const ceremonies = ['create', 'automatic', 'get'] as const;
type Ceremony = (typeof ceremonies)[number];

type Challenge = NonNullable<ReturnType<typeof readChallenge>>;

/**
 * A signed challenge. Nothing is stored until it is used, and any instance can check it. `userId` is empty for `get`, because the
 * assertion names the user.
 */
function makeChallenge(keys: Macs, ceremony: Ceremony, userId: string, now: number): string {
  const payload = [ceremony, randomBytes(16).toString('base64url'), now + lifetimeMs, userId].join('.');
  return `${payload}.${keys.macKeys.mac(macPurpose, payload)}`;
}

const challengePattern = /^(create|automatic|get)\.([\w-]{22})\.(\d{1,15})\.([0-9a-f-]{0,36})\.([\w-]{43})$/;

/** Reads a challenge from the client data, where it is base64url. Undefined if it is invalid or expired. */
function readChallenge(keys: Macs, encoded: string, now: number) {
  const text = encoded.length > 400 ? '' : Buffer.from(encoded, 'base64url').toString();
  const [, kind, nonce = '', expiry, userId = '', mac = ''] = challengePattern.exec(text) ?? [];
  const ceremony = ceremonies.find((candidate) => candidate === kind);
  if (!ceremony) return undefined;
  const isOurs = keys.macKeys.matches(macPurpose, text.slice(0, -mac.length - 1), mac);
  return isOurs && Number(expiry) > now ? { ceremony, nonce, expiresAt: Number(expiry), userId } : undefined;
}

/** Uses up the challenge, in the transaction of the operation. */
const consumeChallenge = (tx: Tx, { nonce, expiresAt }: Challenge): Promise<boolean> =>
  consumeOnce(tx, `passkey:${nonce}`, expiresAt);

/** Loaded with the first passkey: its certificate parsers would slow down every start. */
const webauthn = () => import('@simplewebauthn/server');

/** EdDSA, ES256 and RS256 (COSE). Every authenticator supports one of them. */
const supportedAlgorithmIDs = [-8, -7, -257];

/** The domain that passkeys are bound to. */
export const relyingPartyId = ({ baseUrl }: Config): string => new URL(baseUrl).hostname;

/** The origins where passkeys may be used: this service and PASSKEY_ORIGINS. */
export const passkeyOrigins = ({ baseUrl, passkeyOrigins: additionalOrigins }: Config): string[] => [
  ...new Set([new URL(baseUrl).origin, ...additionalOrigins]),
];

type PasskeyServices = Omit<FactorCheckServices, 'mail'>;

const descriptorOf = ({ credential_id: id, transports }: PasskeyRow) => ({ id, transports: parseJson(transports) });

/** For `navigator.credentials.create`: a discoverable passkey with user verification, and no attestation. */
export async function creationOptions(
  { context, keys }: PasskeyServices,
  user: Pick<UserRow, 'id' | 'name' | 'email' | 'username' | 'phone'>,
  ceremony: Exclude<Ceremony, 'get'>,
) {
  const { config, database, now } = context;
  const [handle, passkeys] = await Promise.all([
    passkeyHandle(database.db, user.id),
    findPasskeys(database.db, user.id),
  ]);
  const userName = user.email ?? user.username ?? user.phone ?? user.id;
  const { generateRegistrationOptions } = await webauthn();
  return generateRegistrationOptions({
    rpName: readBrand(config).name,
    rpID: relyingPartyId(config),
    userID: Buffer.from(handle, 'base64url'),
    userName,
    userDisplayName: user.name ?? userName,
    challenge: makeChallenge(keys, ceremony, user.id, now()),
    attestationType: 'none',
    supportedAlgorithmIDs,
    excludeCredentials: passkeys.map(descriptorOf),
    authenticatorSelection: {
      residentKey: 'required',
      // A browser that creates a passkey automatically cannot ask the user. Signing in with it always requires user verification.
      userVerification: ceremony === 'automatic' ? 'preferred' : 'required',
    },
  });
}

/** For `navigator.credentials.get`: any passkey for this service, or a passkey of this user. */
export async function requestOptions({ context, keys }: PasskeyServices, userId?: string) {
  const { config, database, now } = context;
  const passkeys = userId === undefined ? [] : await findPasskeys(database.db, userId);
  const { generateAuthenticationOptions } = await webauthn();
  return generateAuthenticationOptions({
    rpID: relyingPartyId(config),
    challenge: makeChallenge(keys, 'get', '', now()),
    allowCredentials: passkeys.map(descriptorOf),
    userVerification: 'required',
  });
}

export type NewPasskey = NonNullable<Awaited<ReturnType<typeof readNewPasskey>>>;

/** Verifies a new passkey, before the transaction that stores it. Undefined if anything in it is wrong. */
export async function readNewPasskey({ context, keys }: PasskeyServices, userId: string, response: unknown) {
  const { config, now, log } = context;
  let challenge: Challenge | undefined;
  const isAutomatic = () => challenge?.ceremony === 'automatic';
  const expectedChallenge = (encoded: string) => {
    challenge = readChallenge(keys, encoded, now());
    return challenge !== undefined && challenge.ceremony !== 'get' && challenge.userId === userId;
  };
  const { verifyRegistrationResponse } = await webauthn();
  const check = (automatic: boolean) =>
    verifyRegistrationResponse({
      response: response as RegistrationResponseJSON,
      expectedChallenge,
      expectedOrigin: passkeyOrigins(config),
      expectedRPID: relyingPartyId(config),
      requireUserVerification: !automatic,
      requireUserPresence: !automatic,
      supportedAlgorithmIDs,
    });
  try {
    // First without user verification: the ceremony is known only from the challenge inside.
    await check(true);
    const { registrationInfo: created } = await check(isAutomatic());
    if (!created || !challenge) return undefined;
    const { credential, credentialDeviceType, credentialBackedUp } = created;
    const at = now();
    const row = {
      id: uuidv7(at),
      user_id: userId,
      credential_id: credential.id,
      public_key: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      transports: JSON.stringify((credential.transports ?? []).slice(0, 8)),
      backup_eligible: Number(credentialDeviceType === 'multiDevice'),
      backed_up: Number(credentialBackedUp),
      automatic: Number(isAutomatic()),
      created_at: at,
      last_used_at: null,
    };
    return { challenge, row };
  } catch (error) {
    log.info({ reason: reasonOf(error) }, 'a new passkey was rejected');
    return undefined;
  }
}

/** Uses up the challenge and stores the passkey, in one transaction. */
export async function storePasskey(
  tx: Tx,
  { challenge, row }: NewPasskey,
  added: Pick<PasskeyRow, 'name' | 'session_id'>,
): Promise<boolean> {
  return (await consumeChallenge(tx, challenge)) && insertPasskey(tx, { ...row, ...added });
}

/** An assertion with a valid signature. `consume` runs in the transaction of the operation and returns true only once. */
export type Assertion = NonNullable<Awaited<ReturnType<typeof readAssertion>>>;

/** WebAuthn 4: at most 1,023 bytes, in base64url. */
const credentialIdPattern = /^[\w-]{1,1364}$/;

/** Verifies an assertion that a browser signed with a passkey. Undefined if anything in it is wrong. */
export async function readAssertion({ context, keys }: PasskeyServices, response: unknown) {
  const { config, database, now, log } = context;
  const assertion = response as AuthenticationResponseJSON;
  if (typeof assertion?.id !== 'string' || !credentialIdPattern.test(assertion.id)) return undefined;
  const passkey = await findPasskey(database.db, assertion.id);
  if (!passkey) return undefined;
  let challenge: Challenge | undefined;
  const { verifyAuthenticationResponse } = await webauthn();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: assertion,
      expectedChallenge(encoded) {
        challenge = readChallenge(keys, encoded, now());
        return challenge?.ceremony === 'get';
      },
      expectedOrigin: passkeyOrigins(config),
      expectedRPID: relyingPartyId(config),
      requireUserVerification: true,
      // `recordPasskeyUse` checks the counter.
      credential: { id: passkey.credential_id, publicKey: Buffer.from(passkey.public_key, 'base64url'), counter: 0 },
    });
    const handle = assertion.response.userHandle;
    if (handle !== undefined && handle !== (await passkeyHandle(database.db, passkey.user_id))) return undefined;
    if (!verified || !challenge) return undefined;
    const usedChallenge = challenge;
    const { newCounter: counter, credentialBackedUp: backedUp } = authenticationInfo;
    return {
      passkey,
      consume: async (tx: Tx) =>
        (await consumeChallenge(tx, usedChallenge)) &&
        recordPasskeyUse(tx, { id: passkey.id, counter, backedUp, now: now() }),
    };
  } catch (error) {
    log.info({ reason: reasonOf(error) }, 'a passkey was rejected');
    return undefined;
  }
}
