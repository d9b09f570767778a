import type { Migration } from '../migration.ts';

/**
 * Who listens to the news. Not UNLOGGED, though it is soon out of date: a standby that takes over must know whom to wait
 * for.
 */
export const instances: Migration = {
  name: '004-instances',
  statements: ({ text, bigint }) => [
    `create table instances (
      id ${text} primary key,
      snapshot ${text} not null,
      renewals ${bigint} not null
    )`,
  ],
};
