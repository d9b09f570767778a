import { randomBytes } from 'node:crypto';
import { linkSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { codeOf, OperatorError, reasonOf } from '../../platform/errors.ts';
import { createServiceFolder, readIfExists, writePrivateFile } from '../../platform/files.ts';
import { fsyncFolder } from '../fsync-folder.ts';

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
      advice:
        'Set it to the value that the last start used, or unset it if it was not set. To change it, also set PREVIOUS_ENCRYPTION_KEY to the earlier value.',
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

/** A generated key has 43 characters. A shorter value is a truncated file or a password. */
const minLength = 32;

/** The secret in a key file. Undefined if the file does not exist. A secret that is too short is rejected. */
export function readKeyFile(path: string): string | undefined {
  let content: string | undefined;
  try {
    content = readIfExists(path)?.trim();
  } catch (error) {
    throw keyFileError(path, error);
  }
  if (content === undefined || content.length >= minLength) return content;
  const problem = content.length === 0 ? 'is empty' : `holds ${content.length} characters`;
  throw new OperatorError(
    `The key file ${path} ${problem}; a key has at least ${minLength}. If it was truncated, restore the copy that belongs to this database. If the database is new, remove the file: Gatehouse creates another one.`,
  );
}

/** Creates a missing key file. The link makes the file appear complete, so two processes that start at the same time use the same key. */
function readOrCreateKeyFile(path: string): string {
  const existing = readKeyFile(path);
  if (existing !== undefined) return existing;
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    createServiceFolder(dirname(path));
    // The key must be on disk before it encrypts anything: the encrypted values cannot be read without it.
    writePrivateFile(draft, `${randomBytes(32).toString('base64url')}\n`);
    try {
      linkSync(draft, path);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    } finally {
      unlinkSync(draft);
    }
    fsyncFolder(dirname(path));
  } catch (error) {
    throw keyFileError(path, error);
  }
  return readKeyFile(path) as string;
}

const keyFileError = (path: string, error: unknown) =>
  new OperatorError(`The key file ${path} could not be used: ${reasonOf(error)}. Check DATA_DIR and its permissions.`);
