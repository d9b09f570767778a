import type { Migration } from '../migration.ts';

/** A session of a client has no user, a personal access token no client: the indexes hold only those that have one. */
export const partialSessionIndexes: Migration = {
  name: '002-partial-session-indexes',
  statements: () => [
    'drop index sessions_user',
    'create index sessions_user on sessions (user_id, id) where user_id is not null',
    'drop index sessions_client',
    'create index sessions_client on sessions (client_id, id) where client_id is not null',
  ],
};
