import { argon2Sync, createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { OperatorError } from '../../platform/errors.ts';
import { getOrCreate } from '../../platform/get-or-create.ts';
import { findSealingSecrets, type SealingSecret, type SealingSettings } from './sealing-secrets.ts';

/** Encrypts the keys, so that a copy of the database alone does not reveal them. */
export interface Sealing {
  /** `label` is authenticated with the content. A value that was copied to another row cannot be decrypted there. */
  seal(content: Buffer, label: string): string;
  /** `isCurrent` is false if another secret or derivation was used. Then encrypt the value again. */
  open(sealed: string, label: string): { content: Buffer; isCurrent: boolean };
  /** The beginning of every value that `seal` returns. Undefined if a random secret encrypts: those values have no common beginning. */
  prefix(): string | undefined;
  /** Whether a value may be encrypted with an earlier secret, which this service can read. */
  readonly hasEarlierSecret: boolean;
}

/** OWASP's parameters for argon2id, as for passwords. They set the cost of each guess against a dump of the database. */
const argon2Cost = { memory: 19_456, passes: 2, parallelism: 1 };
const argon2Pattern = /^\$argon2id\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([\w-]{22})\$([\w-]+)$/;

type Derivation = Readonly<typeof argon2Cost & { salt: Buffer }>;

/**
 * AES-256-GCM. HKDF derives the key from a random secret, argon2id from a chosen one. The parameters of argon2id precede the ciphertext.
 */
export function createSealing(settings: SealingSettings, { createIfMissing = true } = {}): Sealing {
  const secrets = findSealingSecrets(settings, { createIfMissing });
  const keys = new Map<string, Buffer>();
  const keyOf = ({ secret }: SealingSecret, derivation?: Derivation): Buffer =>
    getOrCreate(keys, JSON.stringify([secret, derivation]), () => deriveKey(secret, derivation));
  const [current] = secrets;
  /** All values of a database share one derivation, so that a start derives the key once. */
  let currentDerivation: Derivation | undefined;
  /** Undefined for a random secret. */
  const derivationOf = (): Derivation | undefined => {
    if (!current.isRandom) currentDerivation ??= { ...argon2Cost, salt: randomBytes(16) };
    return currentDerivation;
  };
  const prefix = () => {
    const derivation = derivationOf();
    if (!derivation) return undefined;
    const { memory, passes, parallelism, salt } = derivation;
    return `$argon2id$m=${memory},t=${passes},p=${parallelism}$${salt.toString('base64url')}$`;
  };
  return {
    prefix,
    hasEarlierSecret: secrets.length > 1,
    seal: (content, label) => `${prefix() ?? ''}${encrypt(keyOf(current, derivationOf()), content, label)}`,
    open(sealed, label) {
      const { derivation, body } = readSealed(sealed);
      for (const secret of secrets) {
        const content = decrypt(keyOf(secret, derivation), body, label);
        if (!content) continue;
        const isCurrent = secret === current && (derivation !== undefined) !== current.isRandom;
        if (isCurrent) currentDerivation ??= derivation;
        return { content, isCurrent };
      }
      throw new OperatorError(
        `The keys in the database cannot be opened with ${current.name}. ${current.advice} If it is lost for good, see: npx gatehouse-server keys reset`,
      );
    },
  };
}

function readSealed(sealed: string): { derivation: Derivation | undefined; body: string } {
  const match = argon2Pattern.exec(sealed);
  if (!match) return { derivation: undefined, body: sealed };
  const [, memory, passes, parallelism, salt = '', body = ''] = match;
  const derivation = {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64url'),
  };
  return { derivation, body };
}

function deriveKey(secret: string, derivation: Derivation | undefined): Buffer {
  if (!derivation) return Buffer.from(hkdfSync('sha256', secret, 'gatehouse', 'sealed keys', 32));
  const { salt: nonce, ...cost } = derivation;
  return argon2Sync('argon2id', { message: Buffer.from(secret), nonce, ...cost, tagLength: 32 });
}

/** AES-256-GCM. */
export function encrypt(key: Buffer, content: Buffer, label: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  cipher.setAAD(Buffer.from(label));
  const body = Buffer.concat([cipher.update(content), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url');
}

/** Undefined if the key or the label is wrong. */
export function decrypt(key: Buffer, sealed: string, label: string): Buffer | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 });
    decipher.setAAD(Buffer.from(label));
    decipher.setAuthTag(bytes.subarray(12, 28));
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
  } catch {
    return undefined;
  }
}
