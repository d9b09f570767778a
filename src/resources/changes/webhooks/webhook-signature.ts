import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** https://www.standardwebhooks.com: the prefixes of secrets and keys, and of their signatures. */
const prefixes = { hmac: 'whsec_', ed25519: 'whsk_' } as const;
const publicPrefix = 'whpk_';
export type SignatureKind = keyof typeof prefixes;

/** An ed25519 private key in PKCS #8 is these bytes and the 32 of its seed. */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');

export function newSecret(kind: SignatureKind): string {
  if (kind === 'hmac') return prefixes.hmac + randomBytes(24).toString('base64');
  const { privateKey } = generateKeyPairSync('ed25519');
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(pkcs8Head.length);
  return prefixes.ed25519 + seed.toString('base64');
}

const privateKeyOf = (secret: string) => {
  const seed = Buffer.from(secret.slice(prefixes.ed25519.length), 'base64');
  return createPrivateKey({ key: Buffer.concat([pkcs8Head, seed]), format: 'der', type: 'pkcs8' });
};

/** What a receiver verifies with: the secret itself, or the public key. */
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

/** The headers of a delivery, signed with each secret that is valid. */
export function webhookHeaders(secrets: readonly string[], id: string, at: number, body: string) {
  const timestamp = String(Math.floor(at / 1000));
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => signatureBy(secret, `${id}.${timestamp}.${body}`)).join(' '),
  };
}
