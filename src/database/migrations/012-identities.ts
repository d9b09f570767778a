import type { Migration } from '../migration.ts';

/** Accounts at external identity providers that people sign in with, and sign-ins that are under way. */
export const identities: Migration = {
  name: '012-identities',
  statements: ({ text, bigint }) => [
    `create table identities (
      id ${text} primary key,
      user_id ${text} not null references users (id) on delete cascade,
      provider ${text} not null,
      issuer ${text} not null,
      subject ${text} not null,
      email ${text},
      roles ${text} not null default '[]',
      created_at ${bigint} not null,
      last_used_at ${bigint},
      version integer not null default 1,
      unique (issuer, subject)
    )`,
    'create index identities_user on identities (user_id)',
    `create table identity_sessions (
      session_id ${text} primary key references sessions (id) on delete cascade,
      identity_id ${text} not null references identities (id) on delete cascade,
      upstream_sid ${text}
    )`,
    'create index identity_sessions_identity on identity_sessions (identity_id)',
    `create table provider_attempts (
      id ${text} primary key,
      provider ${text} not null,
      purpose ${text} not null,
      visitor ${text} not null,
      user_id ${text},
      session_id ${text},
      client ${text},
      next ${text},
      invitation ${text},
      max_age ${bigint},
      created_at ${bigint} not null,
      expires_at ${bigint} not null
    )`,
    'create index provider_attempts_expires on provider_attempts (expires_at)',
    `create table pending_identities (
      id ${text} primary key,
      user_id ${text} not null references users (id) on delete cascade,
      provider ${text} not null,
      visitor ${text} not null,
      upstream ${text} not null,
      client ${text},
      next ${text},
      created_at ${bigint} not null,
      expires_at ${bigint} not null
    )`,
    'create index pending_identities_user on pending_identities (user_id)',
    'create index pending_identities_expires on pending_identities (expires_at)',
  ],
};
