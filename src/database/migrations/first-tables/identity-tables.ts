import type { ColumnTypes } from '../../migration.ts';

/** Users and how they are recognised. */
export const identityTables = ({ text, bigint }: ColumnTypes): string[] => [
  `create table users (
    id ${text} primary key,
    email ${text} unique,
    username ${text} unique,
    phone ${text} unique,
    name ${text},
    password_hash ${text} not null,
    email_confirmed integer not null default 0,
    roles ${text} not null default '[]',
    created_at ${bigint} not null,
    updated_at ${bigint} not null,
    version integer not null default 1,
    disabled integer not null default 0,
    locale ${text},
    realm ${text} not null default 'users',
    check (email is not null or username is not null or phone is not null)
  )`,
  'create index users_created on users (created_at, id)',
  'create unique index users_email_folded on users (lower(email))',
  `create table roles (id ${text} primary key)`,
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
  'create index email_changes_user on email_changes (user_id)',
  'create index email_changes_old on email_changes (old_email)',
  'create index email_changes_until on email_changes (undo_until)',
  `create table known_devices (
    user_id ${text} not null references users (id) on delete cascade,
    fingerprint ${text} not null,
    first_seen_at ${bigint} not null,
    last_seen_at ${bigint} not null,
    primary key (user_id, fingerprint)
  )`,
  'create index known_devices_seen on known_devices (last_seen_at)',
  `create table user_time_zones (
    user_id ${text} primary key references users (id) on delete cascade,
    time_zone ${text} not null
  )`,
  `create table one_time_tokens (
    id ${text} primary key,
    purpose ${text} not null,
    user_id ${text} not null references users (id) on delete cascade,
    email ${text} not null,
    created_at ${bigint} not null,
    expires_at ${bigint} not null,
    used_at ${bigint}
  )`,
  'create index one_time_tokens_user on one_time_tokens (user_id)',
  'create index one_time_tokens_expires on one_time_tokens (expires_at)',
  `create table throttles (
    key ${text} primary key,
    count integer not null,
    expires_at ${bigint} not null,
    pending integer not null default 0,
    pending_until ${bigint} not null default 0
  )`,
  'create index throttles_expires on throttles (expires_at)',
];
