import type { Migration } from '../migration.ts';

/** Which of the operator's own migrations have run. */
export const ownMigrations: Migration = {
  name: '018-own-migrations',
  statements: ({ text, bigint }) => [
    `create table own_migrations (name ${text} primary key, applied_at ${bigint} not null)`,
  ],
};
