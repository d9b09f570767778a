import type { Migration } from '../migration.ts';

/** Devices that ask for tokens while a person decides on another screen (RFC 8628). */
export const devices: Migration = {
  name: '017-devices',
  statements: ({ text, bigint }) => [
    `create table device_authorizations (
      id ${text} primary key,
      device_code_hash ${text} not null unique,
      user_code ${text} not null unique,
      client_id ${text} not null references clients (id) on delete cascade,
      scopes ${text} not null,
      resource ${text},
      address ${text},
      user_agent ${text},
      created_at ${bigint} not null,
      expires_at ${bigint} not null,
      poll_seconds integer not null,
      polled_at ${bigint},
      user_id ${text} references users (id) on delete cascade,
      session_id ${text},
      decided_at ${bigint},
      redeemed_at ${bigint}
    )`,
    'create index device_authorizations_client on device_authorizations (client_id)',
    'create index device_authorizations_user on device_authorizations (user_id) where user_id is not null',
    'create index device_authorizations_expires on device_authorizations (expires_at)',
  ],
};
