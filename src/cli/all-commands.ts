import type { Command } from 'commander';
import { loadCommands } from '../main/extension-commands.ts';
import { clientCommands } from './commands/client-commands.ts';
import { addClientCreate } from './commands/client-create.ts';
import { keysCommands } from './commands/keys-commands.ts';
import { addServe } from './commands/serve.ts';
import { sessionCommands } from './commands/session-commands.ts';
import { userCommands } from './commands/user-commands.ts';

/** Adds all commands, in the order of the help. */
export async function addCommands(program: Command): Promise<void> {
  const extensions = await loadCommands();
  const { addInit, addDev, addCheck, addTypes, addMigrate, addSeed, addEject } = extensions;
  for (const add of [addInit, addServe, addDev, addCheck, addTypes, addMigrate, addSeed, addEject]) add(program);
  const groups: readonly [name: string, description: string, ...((group: Command) => void)[]][] = [
    ['user', 'Create and manage users.', ...userCommands, extensions.addUserImport],
    ['client', 'Create and manage clients.', addClientCreate, ...clientCommands, extensions.addRegistrationToken],
    ['session', 'List and end sessions.', ...sessionCommands],
    ['webhooks', 'Try webhooks.', extensions.addWebhooksListen],
    ['job', 'List and run your own jobs.', ...extensions.jobCommands],
    ['keys', 'Manage the keys that sign tokens.', ...keysCommands],
    ['import', 'Import another service.', extensions.addImportPassport],
  ];
  for (const [name, description, ...commands] of groups) {
    const group = program.command(name).description(description);
    for (const add of commands) add(group);
  }
  const { addLogin, addToken, addLogout, addEvents, addBackup, addRestore, addMove, addDoctor } = extensions;
  for (const add of [addLogin, addToken, addLogout, addEvents, addBackup, addRestore, addMove, addDoctor]) add(program);
}
