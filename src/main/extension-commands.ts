/** The functions that add the commands of extensions. */
export const loadCommands = async () => ({
  ...(await import('../../extensions/project/init-command.ts')),
  ...(await import('../../extensions/project/dev-command.ts')),
  ...(await import('../../extensions/project/eject-command.ts')),
  ...(await import('../../extensions/migrations/migrate-command.ts')),
  ...(await import('../../extensions/seeds/seed-command.ts')),
  ...(await import('../../extensions/jobs/job-commands.ts')),
  ...(await import('../../extensions/user-import/user-import-command.ts')),
  ...(await import('../../extensions/client-registration/registration-token-command.ts')),
  ...(await import('../../extensions/changes/webhooks-listen-command.ts')),
  ...(await import('../../extensions/passport/import-passport-command.ts')),
  ...(await import('../../extensions/cli-login/login-commands.ts')),
  ...(await import('../../extensions/events-log/events-command.ts')),
  ...(await import('../../extensions/backup/backup-command.ts')),
  ...(await import('../../extensions/backup/restore-command.ts')),
  ...(await import('../../extensions/move/move-command.ts')),
  ...(await import('../../extensions/doctor/doctor-command.ts')),
});
