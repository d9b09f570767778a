import type { Migration } from '../migration.ts';

export const webhooks: Migration = {
  name: '011-webhooks',
  statements: ({ text, bigint }) => [
    `create table webhooks (
      id ${text} primary key,
      user_id ${text} not null references users (id) on delete cascade,
      url ${text} not null,
      resources ${text} not null,
      operations ${text} not null,
      search ${text},
      active integer not null default 1,
      disabled_reason ${text},
      signature ${text} not null default 'hmac',
      sealed_secret ${text} not null,
      sealed_previous ${text},
      previous_until ${bigint},
      position ${bigint} not null default 0,
      created_at ${bigint} not null,
      updated_at ${bigint} not null,
      version ${bigint} not null default 1
    )`,
    'create index webhooks_user on webhooks (user_id)',
    `create table webhook_deliveries (
      id ${text} primary key,
      webhook_id ${text} not null references webhooks (id) on delete cascade,
      position ${bigint} not null,
      resource ${text} not null,
      row_id ${text} not null,
      operation ${text} not null,
      body ${text} not null,
      state ${text} not null,
      attempts integer not null default 0,
      next_attempt_at ${bigint} not null,
      leased_until ${bigint},
      response_status integer,
      response_body ${text},
      error ${text},
      duration_ms ${bigint},
      created_at ${bigint} not null,
      delivered_at ${bigint}
    )`,
    "create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_attempt_at) where state = 'waiting'",
    "create index webhook_deliveries_row on webhook_deliveries (webhook_id, row_id, position) where state = 'waiting'",
    'create index webhook_deliveries_webhook on webhook_deliveries (webhook_id, id)',
    'create index webhook_deliveries_created on webhook_deliveries (created_at)',
  ],
};
