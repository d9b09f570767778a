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

type Add = (parent: Command) => void;

/** Adds commands with a common first word, such as `gatehouse user create`. */
const family =
  (name: string, description: string, ...commands: Add[]): Add =>
  (program) => {
    const parent = program.command(name).description(description);
    for (const add of commands) add(parent);
  };

/** The commands under each heading of the help, in its order. */
const commandsByHeading: readonly [heading: string, ...Add[]][] = [
  ['Your project:', addInit, addDev, addCheck, addTypes, addSeed, addEject],
  [
    'The service:',
    addServe,
    addMigrate,
    addDoctor,
    addEvents,
    family('job', 'List and run your own jobs.', ...jobCommands),
    family('webhooks', 'Receive webhooks on this machine, for a test.', addWebhooksListen),
  ],
  [
    'Users, clients and keys:',
    family('user', 'Create and manage users.', ...userCommands, addUserImport),
    family('client', 'Create and manage clients.', ...clientCommands, addRegistrationToken),
    family('session', 'List and end sessions.', ...sessionCommands),
    family('keys', 'Manage the keys that sign tokens.', ...keysCommands),
  ],
  ['Data:', addBackup, addRestore, addMove, family('import', 'Import another service.', addImportPassport)],
  ['Your login at a service:', addLogin, addToken, addLogout],
];

/** Adds all commands, in the order of the help. */
export function addCommands(program: Command): void {
  for (const [heading, ...commands] of commandsByHeading) {
    program.commandsGroup(heading);
    for (const add of commands) add(program);
  }
}
