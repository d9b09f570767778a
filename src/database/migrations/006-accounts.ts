import type { Migration } from '../migration.ts';

/** Disabled users, changes of email that wait for their confirmation or can be undone, and devices that logged in before. */
export const accounts: Migration = {
  name: '006-accounts',
  statements: ({ text, bigint }) => [
    `alter table users add column disabled integer not null default 0`,
    `create table email_changes (
      id ${text} primary key,
      user_id ${text} not null references users (id) on delete cascade,
      old_email ${text},
      new_email ${text},
      created_at ${bigint} not null,
      confirmed_at ${bigint},
      withdrawn_at ${bigint},
      undone_at ${bigint},
      undo_until ${bigint} not null
    )`,
    `create index email_changes_user on email_changes (user_id)`,
    `create index email_changes_old on email_changes (old_email)`,
    `create index email_changes_until on email_changes (undo_until)`,
    `create table known_devices (
      user_id ${text} not null references users (id) on delete cascade,
      fingerprint ${text} not null,
      first_seen_at ${bigint} not null,
      last_seen_at ${bigint} not null,
      primary key (user_id, fingerprint)
    )`,
    `create index known_devices_seen on known_devices (last_seen_at)`,
  ],
};
