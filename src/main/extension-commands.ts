import type { Command } from 'commander';

type AddCommand = (parent: Command) => void;

/** The commands of extensions: those in the groups `user` and `import`, and top-level ones. */
export async function loadCommands(): Promise<{ user: AddCommand; import: AddCommand; top: AddCommand }> {
  const [{ addUserImport }, { addImportPassport }, { addMove }] = await Promise.all([
    import('../../extensions/user-import/user-import-command.ts'),
    import('../../extensions/passport/import-passport-command.ts'),
    import('../../extensions/move/move-command.ts'),
  ]);
  return { user: addUserImport, import: addImportPassport, top: addMove };
}
