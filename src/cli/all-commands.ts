import type { Command } from 'commander';
import { loadCommands } from '../main/extension-commands.ts';
import { addServe } from './serve.ts';

/** Adds all commands, in the order of the help. */
export async function addCommands(program: Command): Promise<void> {
  const extensions = await loadCommands();
  const { addInit, addDev, addCheck, addTypes, addMigrate, addSeed, addEject } = extensions;
  for (const add of [addInit, addServe, addDev, addCheck, addTypes, addMigrate, addSeed, addEject]) add(program);
  const groups: readonly [name: string, description: string, ...((group: Command) => void)[]][] = [
    ['user', 'Create and manage users.', ...extensions.userCommands, extensions.addUserImport],
    ['client', 'Create and manage clients.', ...extensions.clientCommands, extensions.addRegistrationToken],
    ['session', 'List and end sessions.', ...extensions.sessionCommands],
    ['webhooks', 'Try webhooks.', extensions.addWebhooksListen],
    ['job', 'List and run your own jobs.', ...extensions.jobCommands],
    ['keys', 'Manage the keys that sign tokens.', ...extensions.keysCommands],
    ['import', 'Import another service.', extensions.addImportPassport],
  ];
  for (const [name, description, ...commands] of groups) {
    const group = program.command(name).description(description);
    for (const add of commands) add(group);
  }
  const { addLogin, addToken, addLogout, addEvents, addBackup, addRestore, addMove, addDoctor } = extensions;
  for (const add of [addLogin, addToken, addLogout, addEvents, addBackup, addRestore, addMove, addDoctor]) add(program);
}
