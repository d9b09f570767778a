import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { OAuthError, OperatorError, Problem } from '../errors.ts';
import { withoutSecrets } from '../log.ts';
import { addBackup } from './backup.ts';
import { addCheck } from './check.ts';
import { addClientCreate } from './client-create.ts';
import { addClientList } from './client-list.ts';
import { addClientSecretCommand } from './client-secret.ts';
import { addDev } from './dev.ts';
import { addDoctor } from './doctor/doctor.ts';
import { addEvents } from './events.ts';
import { addImportPassport } from './import-passport.ts';
import { addInit } from './init.ts';
import { addKeysList } from './keys-list.ts';
import { addKeysRotate } from './keys-rotate.ts';
import { addMigrate } from './migrate.ts';
import { addRestore } from './restore.ts';
import { addServe } from './serve.ts';
import { addUserCreate } from './user-create.ts';
import { addUserImport } from './user-import.ts';
import { addUserList } from './user-list.ts';
import { addUserRole } from './user-role.ts';

const readVersion = (): string =>
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;

/** The command line: 0 when it worked, 1 when it failed, 2 when it was called wrongly. */
export async function runCommand(args: readonly string[]): Promise<number> {
  const program = new Command('gatehouse')
    .description('An OAuth 2.0 server and a REST API in one program.')
    .version(readVersion())
    .exitOverride()
    .showHelpAfterError('(add --help for what it takes)');
  for (const add of [addInit, addServe, addDev, addCheck]) add(program);
  addMigrate(program);
  const user = program.command('user').description('Make and manage users.');
  for (const add of [addUserCreate, addUserList, addUserRole, addUserImport]) add(user);
  const client = program.command('client').description('Make and manage clients.');
  for (const add of [addClientCreate, addClientList, addClientSecretCommand]) add(client);
  const keys = program.command('keys').description('Manage the keys that sign tokens.');
  for (const add of [addKeysList, addKeysRotate]) add(keys);
  addEvents(program);
  addImportPassport(program.command('import').description('Take over another service.'));
  addBackup(program);
  addRestore(program);
  addDoctor(program);
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has said what was wrong already; help and version are no failures.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    console.error(`gatehouse: ${explain(error)}`);
    return 1;
  }
}

/** What the operator can mend is said in a line; only what nobody foresaw comes with its stack. */
function explain(error: unknown): string {
  if (error instanceof Problem) {
    const fields = (error.errors ?? []).map(({ message }) => `\n  ${message}`).join('');
    return `${error.message}${fields}${error.reason ? ` (${withoutSecrets(error.reason)})` : ''}`;
  }
  if (error instanceof OperatorError || error instanceof OAuthError) return error.message;
  return withoutSecrets(error instanceof Error ? (error.stack ?? error.message) : String(error));
}
