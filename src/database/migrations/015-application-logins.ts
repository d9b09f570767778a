import type { Migration } from '../migration.ts';

/**
 * Who is signed in to which application, by which login of the browser. It outlives the session that the application got:
 * an application keeps people signed in longer than its tokens live, and is told when they sign out.
 */
export const applicationLogins: Migration = {
  name: '015-application-logins',
  statements: ({ text, bigint }) => [
    `create table application_logins (
      session_id ${text} primary key,
      login_id ${text},
      user_id ${text} not null references users (id) on delete cascade,
      client_id ${text} not null references clients (id) on delete cascade,
      created_at ${bigint} not null
    )`,
    'create index application_logins_login on application_logins (login_id) where login_id is not null',
    'create index application_logins_user on application_logins (user_id)',
    'create index application_logins_client on application_logins (client_id)',
    'create index application_logins_created on application_logins (created_at)',
  ],
};
