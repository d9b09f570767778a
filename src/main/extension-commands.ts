import type { Command } from 'commander';

type AddCommand = (parent: Command) => void;

/** The commands of extensions: those in the groups `user`, `client`, `webhooks` and `import`, and top-level ones in the order of the help. */
export async function loadCommands(): Promise<
  Record<'user' | 'client' | 'webhooks' | 'import', AddCommand> & Record<'login' | 'top', readonly AddCommand[]>
> {
  const [
    { addUserImport },
    { addRegistrationToken },
    { addWebhooksListen },
    { addImportPassport },
    { addBackup },
    { addRestore },
    { addMove },
    { addLogin },
    { addLogout, addToken },
  ] = await Promise.all([
    import('../../extensions/user-import/user-import-command.ts'),
    import('../../extensions/client-registration/registration-token-command.ts'),
    import('../../extensions/changes/webhooks-listen-command.ts'),
    import('../../extensions/passport/import-passport-command.ts'),
    import('../../extensions/backup/backup-command.ts'),
    import('../../extensions/backup/restore-command.ts'),
    import('../../extensions/move/move-command.ts'),
    import('../../extensions/cli-login/login-command.ts'),
    import('../../extensions/cli-login/token-commands.ts'),
  ]);
  return {
    user: addUserImport,
    client: addRegistrationToken,
    webhooks: addWebhooksListen,
    import: addImportPassport,
    login: [addLogin, addToken, addLogout],
    top: [addBackup, addRestore, addMove],
  };
}
