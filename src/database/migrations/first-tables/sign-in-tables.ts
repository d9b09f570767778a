import type { ColumnTypes } from '../../migration.ts';

/** Factors, accounts at external identity providers, and sign-ins that are under way. */
export const signInTables = ({ text, bigint }: ColumnTypes): string[] => [
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
    device_hash ${text} not null unique,
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
  `create table providers (
    id ${text} primary key,
    label ${text} not null,
    issuer ${text} not null,
    client_id ${text} not null,
    redirect_uri ${text} not null,
    enabled integer not null default 1,
    secret_expires_at ${bigint},
    last_success_at ${bigint},
    last_failure_at ${bigint},
    failure ${text},
    failure_detail ${text},
    created_at ${bigint} not null
  )`,
];
