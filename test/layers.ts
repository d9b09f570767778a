/** The folders of `src` from the ground up: each may import itself and those before it. */
export const folders = [
  ...['platform', 'config', 'database', 'http', 'resources', 'identity', 'oauth', 'pages', 'main', 'cli'],
];

/** Rooms of a folder from the ground up: each may import those before it. The folder's other files and rooms join them. */
export const rooms = new Map([
  ['database/postgres', ['servers', 'pool', 'invalidations', 'batching', 'replicas']],
  ['resources', ['sql', 'declaration', 'audit', 'model', 'query', 'read', 'write', 'migrations', 'routes']],
  ['resources/changes', ['log', 'view', 'stream', 'webhooks']],
  ['identity', ['mail', 'passwords', 'accounts', 'throttle', 'account-mails', 'credentials', 'email', 'roles']],
  ['oauth', ['clients', 'sessions']],
  ['pages', ['session', 'kit']],
  ['cli', ['terminal', 'operator', 'account', 'commands']],
]);
