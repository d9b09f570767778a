import type { Migration } from '../migration.ts';

/** What people let applications do, and the codes by which an application gets its tokens. */
export const authorization: Migration = {
  name: '014-authorization',
  statements: ({ text, bigint }) => [
    `create table consents (
      id ${text} primary key,
      user_id ${text} not null references users (id) on delete cascade,
      client_id ${text} not null references clients (id) on delete cascade,
      scopes ${text} not null,
      asked ${text} not null,
      created_at ${bigint} not null,
      updated_at ${bigint} not null,
      version integer not null default 1,
      unique (user_id, client_id)
    )`,
    'create index consents_client on consents (client_id, id)',
    `create table authorization_codes (
      id ${text} primary key,
      client_id ${text} not null references clients (id) on delete cascade,
      user_id ${text} not null references users (id) on delete cascade,
      login_id ${text} not null,
      redirect_uri ${text} not null,
      code_challenge ${text} not null,
      asked ${text} not null,
      scopes ${text} not null,
      nonce ${text},
      resource ${text},
      created_at ${bigint} not null,
      expires_at ${bigint} not null,
      used_at ${bigint},
      session_id ${text}
    )`,
    'create index authorization_codes_client on authorization_codes (client_id)',
    'create index authorization_codes_user on authorization_codes (user_id, client_id)',
    'create index authorization_codes_expires on authorization_codes (expires_at)',
  ],
};
