import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { personalConfigDir } from '../../src/config/config.ts';
import { OperatorError, reasonOf } from '../../src/platform/errors.ts';
import { createFolder, readIfExists } from '../../src/platform/files.ts';
import { parseJson } from '../../src/platform/json-text.ts';

/** The stored credentials of one service. */
export interface StoredTokens {
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  /** The end of the access token, in milliseconds since 1970. */
  readonly expiresAt: number;
  readonly scope: string;
}

/** The tokens for each service, by its address, and the service of the last login. */
interface CredentialsFile {
  readonly current?: string | undefined;
  readonly services: Readonly<Record<string, StoredTokens>>;
}

const pathOf = (): string => join(personalConfigDir(), 'credentials.json');

function read(): CredentialsFile {
  const path = pathOf();
  try {
    const { current, services } = parseJson<Partial<CredentialsFile>>(readIfExists(path) ?? '{}');
    return { current, services: services ?? {} };
  } catch {
    throw new OperatorError(`${path} could not be read. Remove it, and sign in again: npx gatehouse-server login`);
  }
}

/** Only the owner can read the file from its first byte on. It is replaced atomically. */
function write(stored: CredentialsFile): string {
  const path = pathOf();
  const next = `${path}.${process.pid}.new`;
  try {
    createFolder(personalConfigDir(), 0o700);
    writeFileSync(next, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(next, path);
  } catch (error) {
    rmSync(next, { force: true });
    throw new OperatorError(`${path} could not be written: ${reasonOf(error)}`);
  }
  return path;
}

/** The named service, or the service of the last login, with its tokens. */
export function findTokens(url: string | undefined): { url: string; tokens: StoredTokens } | undefined {
  const { current, services } = read();
  const serviceUrl = url ?? current;
  const tokens = serviceUrl === undefined ? undefined : new Map(Object.entries(services)).get(serviceUrl);
  return serviceUrl === undefined || !tokens ? undefined : { url: serviceUrl, tokens };
}

/** Returns the file's path. */
export function saveTokens(url: string, tokens: StoredTokens, { makeCurrent = false } = {}): string {
  const { current, services } = read();
  return write({ current: makeCurrent ? url : current, services: { ...services, [url]: tokens } });
}

export function deleteTokens(url: string): void {
  const { current, services } = read();
  const { [url]: _gone, ...rest } = services;
  const [other] = Object.keys(rest);
  if (other === undefined) rmSync(pathOf(), { force: true });
  else write({ current: current === url ? other : current, services: rest });
}
