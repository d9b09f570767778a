import type { Migration } from '../migration.ts';

/** Applications that nobody here made: they registered themselves, or their own address describes them. */
export const clientRegistrations: Migration = {
  name: '016-client-registrations',
  statements: ({ text, bigint }) => [
    `create table client_registrations (
      client_id ${text} primary key references clients (id) on delete cascade,
      kind ${text} not null check (kind in ('dynamic', 'document')),
      token_hash ${text},
      metadata ${text} not null,
      fresh_until ${bigint},
      created_at ${bigint} not null,
      last_used_at ${bigint} not null
    )`,
    'create index client_registrations_used on client_registrations (last_used_at)',
  ],
};
