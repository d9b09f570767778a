import type { Migration } from '../migration.ts';

/**
 * Applications that people sign in to, and what a session tells them of the login. The type of a client goes to a column
 * with no list of types: on SQLite a list in a CHECK can be replaced in no other way.
 */
export const applications: Migration = {
  name: '013-applications',
  statements: ({ text, bigint }) => [
    `alter table clients add column any_type ${text} not null default 'personal'`,
    'update clients set any_type = type',
    'alter table clients drop column type',
    'alter table clients rename column any_type to type',
    'alter table clients add column public integer not null default 0',
    `alter table clients add column redirect_uris ${text} not null default '[]'`,
    `alter table clients add column post_logout_redirect_uris ${text} not null default '[]'`,
    `alter table clients add column homepage_uri ${text}`,
    `alter table clients add column logo_uri ${text}`,
    `alter table clients add column backchannel_logout_uri ${text}`,
    'alter table clients add column trusted integer not null default 0',
    `alter table sessions add column auth_time ${bigint}`,
    `alter table sessions add column amr ${text}`,
    `alter table sessions add column acr ${text}`,
    `alter table sessions add column resource ${text}`,
  ],
};
