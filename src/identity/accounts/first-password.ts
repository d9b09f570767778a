import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import type { Context } from '../../database/context.ts';
import type { Db, Tx } from '../../database/database.ts';
import { createServiceFolder, writePrivateFile } from '../../platform/files.ts';
import { newestEventsOfUser } from '../../resources/audit/event-store.ts';
import type { Passwords } from '../passwords/passwords.ts';
import { findFirstAdministrator, findFirstUser } from './user-store.ts';

export interface FirstAdministrator {
  readonly email: string;
  /** The generated password, until the first sign-in with it. */
  readonly password?: string;
  /** The file with the password, until that sign-in. */
  readonly file?: string | undefined;
  /** This start created the administrator. */
  readonly isNew: boolean;
}

const fileIn = ({ dataDir }: Config): string => join(dataDir, 'first-password');

/** Writes the first password to a file that only its owner can read. Undefined if that failed. */
export function saveFirstPassword(
  { config, log }: Pick<Context, 'config' | 'log'>,
  { email, password }: { readonly email: string; readonly password: string },
): string | undefined {
  const file = fileIn(config);
  try {
    createServiceFolder(config.dataDir);
    rmSync(file, { force: true });
    writePrivateFile(file, `${password}\n`);
    return file;
  } catch (err) {
    const fix = `npx gatehouse-server user password ${email}`;
    log.error({ err, file, fix }, 'the password of the administrator could not be written to a file; set another one');
    return undefined;
  }
}

/** The first administrator and the generated password, until the first sign-in with it. */
export async function unusedFirstPassword(
  { config, database: { db }, log }: Context,
  passwords: Pick<Passwords, 'verify'>,
): Promise<FirstAdministrator | undefined> {
  const file = fileIn(config);
  if (!existsSync(file)) return undefined;
  try {
    const password = readFileSync(file, 'utf8').trim();
    const user = await findFirstAdministrator(db);
    if (!user?.email || !(await passwords.verify(password, user.password_hash))) {
      // If the password belongs to a former administrator, the file is obsolete. Otherwise it may belong to another database: then
      // do not show or remove it.
      const created = await findFirstUser(db);
      if (created && created.id !== user?.id && (await passwords.verify(password, created.password_hash))) rmSync(file);
      return undefined;
    }
    const [login] = await newestEventsOfUser(db, user.id, 'login.succeeded', 1);
    if (!login) return { email: user.email, password, file, isNew: false };
    rmSync(file, { force: true });
  } catch (err) {
    log.warn({ err, file }, 'the first password could not be read');
  }
  return undefined;
}

/** Removes the file with the first password if it is no longer needed. `roles`: the roles of the user, now or before. */
export async function forgetFirstPassword(
  { config, database, log }: Pick<Context, 'config' | 'database' | 'log'>,
  { id, roles }: { readonly id: string; readonly roles: readonly string[] },
  db: Db | Tx = database.db,
): Promise<void> {
  const file = fileIn(config);
  if (!roles.includes('admin') || !existsSync(file)) return;
  try {
    const first = await findFirstAdministrator(db);
    if (!first || id <= first.id) rmSync(file, { force: true });
  } catch (err) {
    log.warn({ err, file }, 'the first password is no longer valid, but its file could not be removed; remove it');
  }
}

/** Logs the first administrator, but never the password. */
export function logFirstAdministrator(log: Logger, { email, file, isNew }: FirstAdministrator): void {
  if (isNew) log.info({ email }, 'created the first administrator');
  if (!file) return;
  if (isNew) log.info({ file }, 'the password of the administrator is in this file until the first sign-in');
  else log.info({ file, email }, 'nobody has signed in with the first password yet; it is in this file');
}
