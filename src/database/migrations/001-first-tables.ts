import type { Migration } from '../migration.ts';

export const firstTables: Migration = {
  name: '001-first-tables',
  statements: ({ text, bigint }) => [
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
      check (email is not null or username is not null or phone is not null)
    )`,
    `create index users_created on users (created_at, id)`,
    `create table roles (id ${text} primary key)`,
    `create table clients (
      id ${text} primary key,
      type ${text} not null check (type in ('password', 'personal')),
      name ${text} not null,
      user_id ${text} references users (id) on delete cascade,
      scopes ${text} not null default '[]',
      created_at ${bigint} not null,
      updated_at ${bigint} not null,
      version integer not null default 1
    )`,
    `create index clients_user on clients (user_id, id)`,
    `create table client_secrets (
      id ${text} primary key,
      client_id ${text} not null references clients (id) on delete cascade,
      secret_hash ${text} not null,
      created_at ${bigint} not null,
      expires_at ${bigint}
    )`,
    `create index client_secrets_client on client_secrets (client_id)`,
    `create table sessions (
      id ${text} primary key,
      type ${text} not null check (type in ('session', 'personal')),
      user_id ${text} references users (id) on delete cascade,
      client_id ${text} references clients (id) on delete cascade,
      name ${text},
      scopes ${text} not null,
      generation integer not null default 0,
      rotated_at ${bigint},
      created_at ${bigint} not null,
      expires_at ${bigint} not null,
      revoked_at ${bigint},
      revealed_at ${bigint},
      last_used_at ${bigint},
      address ${text},
      user_agent ${text},
      version integer not null default 1
    )`,
    `create index sessions_user on sessions (user_id, id)`,
    `create index sessions_client on sessions (client_id, id)`,
    `create index sessions_expires on sessions (expires_at)`,
    `create index sessions_revoked on sessions (revoked_at) where revoked_at is not null`,
    `create table signing_keys (
      id ${text} primary key,
      purpose ${text} not null check (purpose in ('sign', 'mac')),
      algorithm ${text} not null,
      public_jwk ${text},
      sealed_private ${text} not null,
      created_at ${bigint} not null,
      signs_from ${bigint} not null,
      retires_at ${bigint}
    )`,
    `create table issuers (
      url ${text} primary key,
      created_at ${bigint} not null
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
    `create index one_time_tokens_user on one_time_tokens (user_id)`,
    `create index one_time_tokens_expires on one_time_tokens (expires_at)`,
    `create table mails (
      id ${text} primary key,
      template ${text} not null,
      recipient ${text} not null,
      data ${text} not null,
      attempts integer not null default 0,
      next_attempt_at ${bigint} not null,
      created_at ${bigint} not null,
      claimed_until ${bigint},
      last_error ${text}
    )`,
    `create index mails_next on mails (next_attempt_at)`,
    `create table throttles (
      key ${text} primary key,
      count integer not null,
      expires_at ${bigint} not null
    )`,
    `create index throttles_expires on throttles (expires_at)`,
    `create table events (
      id ${text} primary key,
      type ${text} not null,
      user_id ${text},
      client_id ${text},
      session_id ${text},
      actor_id ${text},
      address ${text},
      user_agent ${text},
      request_id ${text},
      data ${text} not null default '{}',
      created_at ${bigint} not null
    )`,
    `create index events_created on events (created_at, id)`,
    `create index events_user on events (user_id, id)`,
    `create index events_type on events (type, id)`,
    `create table idempotency_keys (
      id ${text} primary key,
      body_hash ${text} not null,
      status integer,
      headers ${text},
      body ${text},
      created_at ${bigint} not null
    )`,
    `create index idempotency_keys_created on idempotency_keys (created_at)`,
    `create table resource_schemas (
      name ${text} primary key,
      declaration ${text} not null,
      updated_at ${bigint} not null
    )`,
  ],
};
