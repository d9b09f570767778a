import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf, OperatorError, reasonOf } from '../../platform/errors.ts';
import { createFolder, readIfExists } from '../../platform/files.ts';
import { fsyncFolder } from '../fsync-folder.ts';

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
export function readOrCreateKeyFile(path: string): string {
  const existing = readKeyFile(path);
  if (existing !== undefined) return existing;
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    createFolder(dirname(path), 0o700);
    writeDurably(draft, `${randomBytes(32).toString('base64url')}\n`);
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

/** The key must be on disk before it encrypts anything: the encrypted values cannot be read without it. */
function writeDurably(path: string, content: string): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    writeSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

const keyFileError = (path: string, error: unknown) =>
  new OperatorError(`The key file ${path} could not be used: ${reasonOf(error)}. Check DATA_DIR and its permissions.`);
