import type { Migration } from '../migration.ts';

/** The declared identity providers, and how the last sign-ins with them went on any instance. */
export const providers: Migration = {
  name: '016-providers',
  statements: ({ text, bigint }) => [
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
  ],
};
