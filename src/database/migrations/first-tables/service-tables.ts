import type { ColumnTypes } from '../../migration.ts';

/** The audit trail, the queue, invalidations, imports, changes, webhooks and scheduled jobs. */
export const serviceTables = ({ text, bigint }: ColumnTypes): string[] => [
  `create table events (
    id ${text} primary key,
    type ${text} not null,
    user_id ${text},
    client_id ${text},
    session_id ${text},
    actor_id ${text},
    address ${text},
    user_agent ${text},
    request_id ${text},
    data ${text} not null default '{}',
    created_at ${bigint} not null,
    row_id ${text}
  )`,
  'create index events_created on events (created_at, id)',
  'create index events_user on events (user_id, id)',
  'create index events_type on events (type, id)',
  'create index events_row on events (row_id, id) where row_id is not null',
  `create table idempotency_keys (
    id ${text} primary key,
    body_hash ${text} not null,
    status integer,
    headers ${text},
    body ${text},
    created_at ${bigint} not null
  )`,
  'create index idempotency_keys_created on idempotency_keys (created_at)',
  `create table resource_schemas (
    name ${text} primary key,
    declaration ${text} not null,
    updated_at ${bigint} not null
  )`,
  `create table instances (
    id ${text} primary key,
    snapshot ${text} not null,
    renewals ${bigint} not null
  )`,
  `create table known_settings (name ${text} primary key, value ${text} not null)`,
  `create table legacy_keys (
    id ${text} primary key,
    sealed ${text} not null,
    created_at ${bigint} not null
  )`,
  `create table legacy_tokens (
    id ${text} primary key,
    session_id ${text} not null,
    expires_at ${bigint} not null,
    pass integer not null,
    ended_at ${bigint}
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
  `create table queued_jobs (
    id ${text} primary key,
    name ${text} not null,
    subject ${text},
    data ${text} not null,
    attempts integer not null default 0,
    next_attempt_at ${bigint} not null,
    lease ${text},
    leased_until ${bigint},
    failed_at ${bigint},
    last_error ${text},
    created_at ${bigint} not null
  )`,
  'create index queued_jobs_next on queued_jobs (name, next_attempt_at) where failed_at is null',
  'create index queued_jobs_failed on queued_jobs (failed_at) where failed_at is not null',
  'create index queued_jobs_subject on queued_jobs (subject) where subject is not null',
  'create index queued_jobs_created on queued_jobs (created_at, id)',
  `create table operator_migrations (name ${text} primary key, applied_at ${bigint} not null)`,
  `create table invalidations (id ${bigint} primary key, changes ${text} not null)`,
  `create table activity (hour ${bigint} not null, kind ${text} not null, count ${bigint} not null, primary key (hour, kind))`,
  `create table mcp_calls (
    id ${text} primary key,
    client_id ${text} not null,
    application ${text} not null,
    day ${text} not null,
    calls integer not null,
    last_tool ${text} not null,
    last_call_at ${bigint} not null,
    unique (client_id, day)
  )`,
  'create index mcp_calls_day on mcp_calls (day, id)',
  // One row. A copy of the database in another place gets another id, so that nobody mixes up the positions of the two.
  `create table change_history (id ${text} primary key, pruned_to ${bigint} not null default 0)`,
  // On SQLite: who writes in the current transaction. PostgreSQL has a setting for it.
  `create table change_actor (id integer primary key, actor ${text})`,
  `create table change_tickets (id ${text} primary key, sealed_token ${text} not null, expires_at ${bigint} not null)`,
  'create index change_tickets_expires on change_tickets (expires_at)',
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
  `create table scheduled_jobs (
    id ${text} primary key,
    schedule ${text} not null,
    time_zone ${text} not null,
    next_run_at ${bigint} not null,
    last_run_at ${bigint},
    last_state ${text},
    created_at ${bigint} not null
  )`,
  `create table job_runs (
    id ${text} primary key,
    job_id ${text} not null references scheduled_jobs (id) on delete cascade,
    scheduled_for ${bigint},
    state ${text} not null,
    attempts integer not null default 0,
    started_at ${bigint},
    finished_at ${bigint},
    error ${text},
    created_at ${bigint} not null
  )`,
  'create index job_runs_job on job_runs (job_id, id)',
  'create index job_runs_created on job_runs (created_at, id)',
];

/** `before` and `after` are JSON objects of stored values, by column. `position` defines the primary key. */
export const changeLogTable = ({ text, bigint }: ColumnTypes, position: string): string =>
  `create table change_log (
    position ${position},
    resource ${text} not null,
    row_id ${text} not null,
    operation ${text} not null,
    version ${bigint},
    before ${text},
    after ${text},
    actor ${text},
    transaction_id ${bigint},
    at ${bigint} not null
  )`;
