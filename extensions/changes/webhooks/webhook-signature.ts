import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  timingSafeEqual,
  verify,
} from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Prefixes of https://www.standardwebhooks.com for secrets, keys and signatures. */
const prefixes = { hmac: 'whsec_', ed25519: 'whsk_' } as const;
const publicPrefix = 'whpk_';
export type SignatureKind = keyof typeof prefixes;

/** An ed25519 private key in PKCS #8 consists of these bytes and its seed of 32 bytes. */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');

export function newSecret(kind: SignatureKind): string {
  if (kind === 'hmac') return prefixes.hmac + randomBytes(24).toString('base64');
  const { privateKey } = generateKeyPairSync('ed25519');
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(pkcs8Head.length);
  return prefixes.ed25519 + seed.toString('base64');
}

/** An ed25519 public key in SPKI consists of these bytes and its 32 bytes. */
const spkiHead = Buffer.from('302a300506032b6570032100', 'hex');
const toleranceMs = 300_000;

const privateKeyOf = (secret: string) => {
  const seed = Buffer.from(secret.slice(prefixes.ed25519.length), 'base64');
  return createPrivateKey({ key: Buffer.concat([pkcs8Head, seed]), format: 'der', type: 'pkcs8' });
};

/** The key with which a receiver verifies deliveries: the secret, or the public key. */
export function verifyingKey(secret: string): string {
  if (secret.startsWith(prefixes.hmac)) return secret;
  const key = createPublicKey(privateKeyOf(secret)).export({ format: 'der', type: 'spki' });
  return publicPrefix + key.subarray(-32).toString('base64');
}

function signatureBy(secret: string, content: string): string {
  if (secret.startsWith(prefixes.hmac)) {
    const key = Buffer.from(secret.slice(prefixes.hmac.length), 'base64');
    return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
  }
  return `v1a,${sign(null, Buffer.from(content), privateKeyOf(secret)).toString('base64')}`;
}

export function webhookHeaders(secrets: readonly string[], id: string, at: number, body: string) {
  const timestamp = String(Math.floor(at / 1000));
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => signatureBy(secret, `${id}.${timestamp}.${body}`)).join(' '),
  };
}

/** Returns the problem of a received delivery. Undefined if its signature and time are valid. */
export function verifyDelivery(
  key: string,
  { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }: IncomingHttpHeaders,
  body: string,
  now: number,
): string | undefined {
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signature !== 'string')
    return 'a header is missing: webhook-id, webhook-timestamp or webhook-signature';
  const content = `${id}.${timestamp}.${body}`;
  if (!signature.split(' ').some((each) => isSignedBy(key, content, each))) return 'wrong signature';
  return Math.abs(now - Number(timestamp) * 1000) <= toleranceMs ? undefined : 'more than five minutes old';
}

function isSignedBy(key: string, content: string, signature: string): boolean {
  const [version, value = ''] = signature.split(',', 2);
  if (version === 'v1' && key.startsWith(prefixes.hmac)) {
    const [actual, expected] = [Buffer.from(signature), Buffer.from(signatureBy(key, content))];
    return actual.length === expected.length && timingSafeEqual(actual, expected);
  }
  const raw = Buffer.from(key.startsWith(publicPrefix) ? key.slice(publicPrefix.length) : '', 'base64');
  if (version !== 'v1a' || raw.length !== 32) return false;
  const publicKey = createPublicKey({ key: Buffer.concat([spkiHead, raw]), format: 'der', type: 'spki' });
  return verify(null, Buffer.from(content), publicKey, Buffer.from(value, 'base64'));
}
