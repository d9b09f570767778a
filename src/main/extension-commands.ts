import type { Command } from 'commander';

/** The commands of extensions: those in the group `import`, and top-level ones. */
export async function loadCommands(): Promise<{ import: (group: Command) => void; top: (program: Command) => void }> {
  const [{ addImportPassport }, { addMove }] = await Promise.all([
    import('../../extensions/passport/import-passport-command.ts'),
    import('../../extensions/move/move-command.ts'),
  ]);
  return { import: addImportPassport, top: addMove };
}
