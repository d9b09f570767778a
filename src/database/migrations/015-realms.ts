import type { Migration } from '../migration.ts';

/** Which set of people a user belongs to, and which set a client is for. An import can restore the clients that it disabled. */
export const realms: Migration = {
  name: '015-realms',
  statements: ({ text, bigint }) => [
    `alter table users add column realm ${text} not null default 'users'`,
    `alter table clients add column realm ${text}`,
    `alter table legacy_tokens add column ended_at ${bigint}`,
  ],
};
