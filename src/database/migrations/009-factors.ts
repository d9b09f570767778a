import type { Migration } from '../migration.ts';

/** Passkeys, authenticator apps, recovery codes, codes by mail, remembered browsers, and tokens that are looked up by their hash. */
export const factors: Migration = {
  name: '009-factors',
  statements: ({ text, bigint }) => [
    `create table passkeys (
      id ${text} primary key,
      user_id ${text} not null references users (id) on delete cascade,
      credential_id ${text} not null unique,
      public_key ${text} not null,
      counter ${bigint} not null,
      transports ${text} not null,
      name ${text} not null,
      backup_eligible integer not null,
      backed_up integer not null,
      automatic integer not null,
      created_at ${bigint} not null,
      last_used_at ${bigint},
      version integer not null default 1
    )`,
    'create index passkeys_user on passkeys (user_id)',
    `create table passkey_handles (
      user_id ${text} primary key references users (id) on delete cascade,
      handle ${text} not null unique
    )`,
    `create table authenticators (
      id ${text} primary key,
      user_id ${text} not null references users (id) on delete cascade,
      name ${text} not null,
      sealed_secret ${text} not null,
      last_step ${bigint} not null default 0,
      created_at ${bigint} not null,
      confirmed_at ${bigint},
      last_used_at ${bigint},
      version integer not null default 1
    )`,
    'create index authenticators_user on authenticators (user_id)',
    `create table recovery_codes (
      user_id ${text} not null references users (id) on delete cascade,
      hash ${text} not null,
      created_at ${bigint} not null,
      used_at ${bigint},
      primary key (user_id, hash)
    )`,
    `create table email_codes (
      id ${text} primary key,
      email ${text} not null,
      attempts integer not null default 0,
      created_at ${bigint} not null,
      expires_at ${bigint} not null
    )`,
    'create index email_codes_expires on email_codes (expires_at)',
    `create table remembered_browsers (
      id ${text} primary key,
      user_id ${text} not null references users (id) on delete cascade,
      browser_hash ${text} not null unique,
      address ${text},
      user_agent ${text},
      created_at ${bigint} not null,
      last_used_at ${bigint} not null,
      expires_at ${bigint} not null,
      version integer not null default 1
    )`,
    'create index remembered_browsers_user on remembered_browsers (user_id)',
    'create index remembered_browsers_expires on remembered_browsers (expires_at)',
    `create table spent_values (
      id ${text} primary key,
      expires_at ${bigint} not null
    )`,
    'create index spent_values_expires on spent_values (expires_at)',
    `create table registration_tokens (
      hash ${text} primary key,
      created_at ${bigint} not null,
      expires_at ${bigint} not null
    )`,
    `alter table sessions add column token_hash ${text}`,
    `alter table client_secrets add column value_hash ${text}`,
  ],
  indexes: [
    { name: 'sessions_token_hash', on: 'sessions (token_hash) where token_hash is not null' },
    { name: 'client_secrets_value_hash', on: 'client_secrets (value_hash) where value_hash is not null' },
  ],
};
