import type { Migration } from '../migration.ts';

/** The OpenID Connect metadata of an application, and the key that signs ID tokens. */
export const openidProfiles: Migration = {
  name: '007-openid-profiles',
  statements: ({ text, bigint }) => [
    `alter table signing_keys add column signs ${text} check (signs in ('id_token'))`,
    `alter table clients add column require_pkce integer not null default 0`,
    `alter table clients add column id_token_signed_response_alg ${text}`,
    `alter table clients add column id_token_claims integer not null default 1`,
    `alter table clients add column grant_types ${text} not null default '[]'`,
    `alter table clients add column token_endpoint_auth_method ${text}`,
    `alter table clients add column default_max_age ${bigint}`,
    `alter table clients add column tos_uri ${text}`,
    `alter table clients add column policy_uri ${text}`,
    `alter table clients add column jwks ${text}`,
    `alter table clients add column jwks_uri ${text}`,
    `alter table authorization_codes add column details ${text}`,
    `alter table sessions add column details ${text}`,
  ],
};
