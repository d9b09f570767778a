import type { Migration } from '../migration.ts';

/** Tables and columns for FAPI 2.0: signed proofs that work once, pushed requests, and requirements of an application. */
export const proofs: Migration = {
  name: '008-proofs',
  statements: ({ text, bigint }) => [
    `create table used_proofs (id ${text} primary key, expires_at ${bigint} not null)`,
    `create index used_proofs_expires on used_proofs (expires_at)`,
    `create table pushed_requests (
      id ${text} primary key,
      client_id ${text} not null references clients (id) on delete cascade,
      parameters ${text} not null,
      jkt ${text},
      created_at ${bigint} not null,
      expires_at ${bigint} not null
    )`,
    `create index pushed_requests_expires on pushed_requests (expires_at)`,
    `create index pushed_requests_client on pushed_requests (client_id)`,
    `alter table clients add column require_pushed_authorization_requests integer not null default 0`,
    `alter table clients add column require_signed_request_object integer not null default 0`,
    `alter table clients add column dpop_bound_access_tokens integer not null default 0`,
    `alter table clients add column fapi integer not null default 0`,
  ],
};
