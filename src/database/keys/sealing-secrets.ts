import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { OperatorError } from '../../platform/errors.ts';
import { readKeyFile, readOrCreateKeyFile } from './key-file.ts';

export type SealingSettings = Pick<Config, 'encryptionKey' | 'previousEncryptionKey' | 'databaseUrl' | 'dataDir'>;

export interface SealingSecret {
  readonly secret: string;
  /** Whether the secret is random and too long to guess. An attacker with a copy of the database can guess a secret that a person chose. */
  readonly isRandom: boolean;
  readonly name: string;
  readonly advice: string;
}

/**
 * ENCRYPTION_KEY, otherwise the password of the database, otherwise a key file. The first secret encrypts. The others still decrypt, so
 * that an operator can switch to ENCRYPTION_KEY. `createIfMissing`: whether to create a missing key file.
 */
export function findSealingSecrets(
  { encryptionKey, previousEncryptionKey, databaseUrl, dataDir }: SealingSettings,
  { createIfMissing }: { createIfMissing: boolean },
): [SealingSecret, ...SealingSecret[]] {
  const secrets: SealingSecret[] = [];
  const path = join(dataDir, 'encryption.key');
  const password = databaseUrl.startsWith('postgres') ? passwordOf(databaseUrl) : '';
  if (encryptionKey) {
    secrets.push({
      secret: encryptionKey,
      isRandom: false,
      name: 'ENCRYPTION_KEY',
      advice: 'Set it to the value that the last start used, or unset it if it was not set.',
    });
  }
  if (encryptionKey && previousEncryptionKey) {
    const name = 'PREVIOUS_ENCRYPTION_KEY';
    secrets.push({ secret: previousEncryptionKey, isRandom: false, name, advice: '' });
  }
  if (password) {
    secrets.push({
      secret: password,
      isRandom: false,
      name: 'the password in DATABASE_URL',
      advice:
        'If the password was changed, start once with the earlier password and with ENCRYPTION_KEY set, and keep ENCRYPTION_KEY. If other instances have ENCRYPTION_KEY, set the same value here.',
    });
  }
  const content = secrets.length === 0 && createIfMissing ? readOrCreateKeyFile(path) : readKeyFile(path);
  if (content !== undefined) {
    secrets.push({
      secret: content,
      isRandom: true,
      name: path,
      advice: `Restore the ${path} that belongs to this database, or set ENCRYPTION_KEY if it was set before. All instances need the same key.`,
    });
  }
  const [first, ...others] = secrets;
  if (!first) throw new OperatorError(`There is no key file ${path}, and ENCRYPTION_KEY is not set.`);
  return [first, ...others];
}

/** `URL` cannot parse several hosts (`postgres://user:password@a,b/name`). */
function passwordOf(databaseUrl: string): string {
  const password = /^[a-z]+:\/\/[^:@/]*:([^@/]*)@/.exec(databaseUrl)?.[1] ?? '';
  try {
    return decodeURIComponent(password);
  } catch {
    return password;
  }
}
