import type { Command } from 'commander';

/** The commands of extensions: those of the group `import`, and those beside the groups. */
export async function loadCommands(): Promise<{ import: (group: Command) => void; top: (program: Command) => void }> {
  const [{ addImportPassport }, { addMove }] = await Promise.all([
    import('../../extensions/passport/import-passport-command.ts'),
    import('../../extensions/move/move-command.ts'),
  ]);
  return { import: addImportPassport, top: addMove };
}
