import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../../config.ts';
import type { FirstAdministrator } from './first-administrator.ts';

/** Logs are collected and read by many: the password goes into a file for the owner alone, and the log names it. */
export function keepFirstPassword({ dataDir }: Config, log: Logger, { email, password }: FirstAdministrator): void {
  if (password === undefined) return;
  const file = join(dataDir, 'first-password');
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    rmSync(file, { force: true });
    writeFileSync(file, `${password}\n`, { flag: 'wx', mode: 0o600 });
    log.info({ file }, 'the password of the administrator is in this file; remove it when you have read it');
  } catch (err) {
    const mend = `gatehouse user password ${email}`;
    log.error({ err, file, mend }, 'the password of the administrator could not be written; set another');
  }
}
