import type { Command } from 'commander';

type AddCommand = (parent: Command) => void;

/** The commands of extensions: those in the groups `user`, `client` and `import`, and top-level ones. */
export async function loadCommands(): Promise<{
  user: AddCommand;
  client: AddCommand;
  import: AddCommand;
  top: AddCommand;
}> {
  const [{ addUserImport }, { addRegistrationToken }, { addImportPassport }, { addMove }] = await Promise.all([
    import('../../extensions/user-import/user-import-command.ts'),
    import('../../extensions/client-registration/registration-token-command.ts'),
    import('../../extensions/passport/import-passport-command.ts'),
    import('../../extensions/move/move-command.ts'),
  ]);
  return { user: addUserImport, client: addRegistrationToken, import: addImportPassport, top: addMove };
}
