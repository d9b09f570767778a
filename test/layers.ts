/** The folders of `src`, lowest layer first. Each may import itself and the folders before it. */
export const folders = [
  ...['platform', 'config', 'database', 'http', 'resources', 'identity', 'oauth', 'pages', 'main', 'cli'],
];

/**
 * The subfolders of a folder, lowest layer first. Each may import those before it. Other files and subfolders of the
 * folder are above all of them.
 */
export const rooms = new Map([
  ['database/postgres', ['servers', 'pool', 'invalidations', 'batching']],
  ['resources', ['sql', 'declaration', 'audit', 'model', 'query', 'read', 'write', 'schemas', 'routes']],
  ['identity', ['mail', 'passwords', 'accounts', 'throttle', 'account-mails', 'credentials', 'email', 'roles']],
  ['oauth', ['clients', 'sessions']],
  ['pages', ['session', 'kit']],
  ['cli', ['terminal', 'operator']],
  ['extensions/changes', ['log', 'view', 'stream', 'webhooks']],
  ['extensions/migrations', ['steps', 'operator', 'plan']],
  ['extensions/move', ['tables']],
  ['extensions/openapi', ['document', 'reference', 'types']],
  ['extensions/passport', ['source', 'legacy-tokens', 'report', 'import', 'compat']],
  ['extensions/providers', ['declaration', 'client', 'sign-in', 'pages']],
]);

/** The files of `src` that load extensions. All of their imports of extensions are dynamic. */
export const extensionLoaders = [
  'config/import-file.ts',
  'cli/run-command.ts',
  'main/check-extensions.ts',
  'main/extensions.ts',
  'main/open-aggregates.ts',
  'main/open-custom-routes.ts',
  'main/open-events-log.ts',
  'main/open-grants.ts',
  'main/open-imported-secrets.ts',
  'main/open-jobs.ts',
  'main/open-legacy-tokens.ts',
  'main/open-migrations.ts',
  'main/open-registered-clients.ts',
  'main/open-replicas.ts',
  'main/open-workers.ts',
  'main/prepare-resources.ts',
];

/** Imports from one extension to another, and the reason. */
export const extensionImports = new Map([
  ['extensions/backup imports extensions/admin-commands', 'a restore ends all sessions, like `gatehouse session end`'],
  ['extensions/mcp imports extensions/openapi', 'the schemas of its tools are those of the API'],
  ['extensions/move imports extensions/doctor', 'a move reads its source without changing it'],
  ['extensions/move imports extensions/migrations', 'a move creates the tables of the resources in the new database'],
  ['extensions/openapi imports extensions/aggregates', 'the API describes which fields can be aggregated'],
  ['extensions/passport imports extensions/providers', 'identities are imported only for declared providers'],
  ['extensions/testing imports extensions/seeds', 'a test creates rows, and runs seeds'],
]);
