import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { OperatorError } from '../errors.ts';

/** Keeps keys in the database unreadable to whoever has only the database. */
export interface Sealing {
  /** `label` is bound to the content: a sealed value moved to another row does not open. */
  seal(content: Buffer, label: string): string;
  /** `isCurrent` is false where an earlier secret opened it: then it should be sealed anew. */
  open(sealed: string, label: string): { content: Buffer; isCurrent: boolean };
}

type Settings = Pick<Config, 'encryptionKey' | 'databaseUrl' | 'dataDir'>;

interface Source {
  readonly secret: string;
  readonly name: string;
  readonly advice: string;
}

/**
 * ENCRYPTION_KEY if set; else the database's password, which all instances of one PostgreSQL share; else a file of our
 * own. The first seals; the others still open what they sealed, so that one can move to ENCRYPTION_KEY by setting it.
 */
function findSources({ encryptionKey, databaseUrl, dataDir }: Settings): [Source, ...Source[]] {
  const sources: Source[] = [];
  const path = join(dataDir, 'encryption.key');
  const password = databaseUrl.startsWith('postgres') ? passwordOf(databaseUrl) : '';
  if (encryptionKey) {
    sources.push({
      secret: encryptionKey,
      name: 'ENCRYPTION_KEY',
      advice: 'Set it to the value that this database was last started with, or unset it if there was none.',
    });
  }
  if (password) {
    sources.push({
      secret: password,
      name: 'the password in DATABASE_URL',
      advice:
        'If the password was changed, start once with the earlier one and ENCRYPTION_KEY set, and keep ENCRYPTION_KEY. If other instances have ENCRYPTION_KEY, set the same here.',
    });
  }
  if (sources.length === 0 || existsSync(path)) {
    sources.push({
      secret: readOrMakeKey(path),
      name: path,
      advice: `Put the ${path} that belongs to this database there, or set ENCRYPTION_KEY if it was set before. Several instances need the same.`,
    });
  }
  return sources as [Source, ...Source[]];
}

function passwordOf(databaseUrl: string): string {
  try {
    return decodeURIComponent(new URL(databaseUrl).password);
  } catch {
    return '';
  }
}

/** A link appears at once and whole, so of two processes that start together one key wins. */
function readOrMakeKey(path: string): string {
  const read = () => readFileSync(path, 'utf8').trim();
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw unusable(path, error);
  }
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
    writeFileSync(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
    try {
      linkSync(draft, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      unlinkSync(draft);
    }
    return read();
  } catch (error) {
    throw unusable(path, error);
  }
}

const unusable = (path: string, error: unknown) =>
  new OperatorError(
    `The key file ${path} could not be used: ${(error as Error).message}. Check DATA_DIR and its rights.`,
  );

export function createSealing(settings: Settings): Sealing {
  const sources = findSources(settings);
  const keys = sources.map(({ secret }) => Buffer.from(hkdfSync('sha256', secret, 'gatehouse', 'sealed keys', 32)));
  return {
    seal(content, label) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', keys[0] as Buffer, iv);
      cipher.setAAD(Buffer.from(label));
      const body = Buffer.concat([cipher.update(content), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url');
    },
    open(sealed, label) {
      const bytes = Buffer.from(sealed, 'base64url');
      for (const [i, key] of keys.entries()) {
        const content = tryToOpen(key, bytes, label);
        if (content) return { content, isCurrent: i === 0 };
      }
      const [{ name, advice }] = sources;
      throw new OperatorError(`The keys in the database cannot be opened with ${name}. ${advice}`);
    },
  };
}

function tryToOpen(key: Buffer, bytes: Buffer, label: string): Buffer | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 });
    decipher.setAAD(Buffer.from(label));
    decipher.setAuthTag(bytes.subarray(12, 28));
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
  } catch {
    return undefined;
  }
}
