import type { Command } from 'commander';
import { addServe } from '../src/cli/serve.ts';
import { clientCommands } from './admin-commands/client-commands.ts';
import { keysCommands } from './admin-commands/keys-commands.ts';
import { sessionCommands } from './admin-commands/session-commands.ts';
import { userCommands } from './admin-commands/user-commands.ts';
import { addBackup } from './backup/backup-command.ts';
import { addRestore } from './backup/restore-command.ts';
import { addWebhooksListen } from './changes/webhooks-listen-command.ts';
import { addLogin, addLogout, addToken } from './cli-login/login-commands.ts';
import { addRegistrationToken } from './client-registration/registration-token-command.ts';
import { addDoctor } from './doctor/doctor-command.ts';
import { addEvents } from './events-log/events-command.ts';
import { jobCommands } from './jobs/job-commands.ts';
import { addMigrate } from './migrations/migrate-command.ts';
import { addMove } from './move/move-command.ts';
import { addTypes } from './openapi/types/types-command.ts';
import { addImportPassport } from './passport/import-passport-command.ts';
import { addCheck } from './project/check-command.ts';
import { addDev } from './project/dev-command.ts';
import { addEject } from './project/eject-command.ts';
import { addInit } from './project/init-command.ts';
import { addSeed } from './seeds/seed-command.ts';
import { addUserImport } from './user-import/user-import-command.ts';

/** Adds all commands, in the order of the help. */
export function addCommands(program: Command): void {
  for (const add of [addInit, addServe, addDev, addCheck, addTypes, addMigrate, addSeed, addEject]) add(program);
  const groups: readonly [name: string, description: string, ...((group: Command) => void)[]][] = [
    ['user', 'Create and manage users.', ...userCommands, addUserImport],
    ['client', 'Create and manage clients.', ...clientCommands, addRegistrationToken],
    ['session', 'List and end sessions.', ...sessionCommands],
    ['webhooks', 'Try webhooks.', addWebhooksListen],
    ['job', 'List and run your own jobs.', ...jobCommands],
    ['keys', 'Manage the keys that sign tokens.', ...keysCommands],
    ['import', 'Import another service.', addImportPassport],
  ];
  for (const [name, description, ...commands] of groups) {
    const group = program.command(name).description(description);
    for (const add of commands) add(group);
  }
  for (const add of [addLogin, addToken, addLogout, addEvents, addBackup, addRestore, addMove, addDoctor]) add(program);
}
