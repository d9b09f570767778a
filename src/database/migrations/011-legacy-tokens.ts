import type { Migration } from '../migration.ts';

/** What was taken over from another service: which of its tokens count, what opens them, and what its ids have become. */
export const legacyTokens: Migration = {
  name: '011-legacy-tokens',
  statements: ({ text, bigint }) => [
    `create table legacy_keys (
      id ${text} primary key,
      sealed ${text} not null,
      created_at ${bigint} not null
    )`,
    `create table legacy_tokens (
      id ${text} primary key,
      session_id ${text} not null,
      expires_at ${bigint} not null,
      pass integer not null
    )`,
    'create index legacy_tokens_session on legacy_tokens (session_id)',
    'create index legacy_tokens_expires on legacy_tokens (expires_at)',
    'create index legacy_tokens_pass on legacy_tokens (pass)',
    `create table legacy_ids (
      source ${text} not null,
      old_id ${text} not null,
      new_id ${text} not null,
      fingerprint ${text} not null,
      version integer not null,
      pass integer not null,
      primary key (source, old_id)
    )`,
    'create index legacy_ids_new on legacy_ids (new_id)',
    `create table legacy_passes (
      id integer primary key,
      started_at ${bigint} not null,
      finished_at ${bigint},
      report ${text}
    )`,
  ],
};
