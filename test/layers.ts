/** The folders of `src`, lowest layer first. Each may import itself and the folders before it. */
export const folders = [
  ...['platform', 'config', 'database', 'http', 'resources', 'identity', 'oauth', 'pages', 'main', 'cli'],
];

/**
 * The subfolders of a folder, lowest layer first. Each may import those before it. Other files and subfolders of the
 * folder are above all of them.
 */
export const rooms = new Map([
  ['database/postgres', ['servers', 'pool', 'invalidations', 'batching', 'replicas']],
  ['resources', ['sql', 'declaration', 'audit', 'model', 'query', 'read', 'write', 'migrations', 'routes']],
  ['extensions/changes', ['log', 'view', 'stream', 'webhooks']],
  ['identity', ['mail', 'passwords', 'accounts', 'throttle', 'account-mails', 'credentials', 'email', 'roles']],
  ['oauth', ['clients', 'sessions']],
  ['pages', ['session', 'kit']],
  ['cli', ['terminal', 'operator', 'account', 'commands']],
]);
