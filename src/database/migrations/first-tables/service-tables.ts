import { bigint, integer, json, position, table, text } from '../../columns.ts';

/** The audit trail, the queue, invalidations, imports, changes, webhooks and scheduled jobs. */
export const serviceTables = {
  events: table({
    id: text().primary,
    type: text(),
    user_id: text().nullable,
    client_id: text().nullable,
    session_id: text().nullable,
    /** The user who acted, if it is not the subject. */
    actor_id: text().nullable,
    address: text().nullable,
    user_agent: text().nullable,
    request_id: text().nullable,
    /** JSON, never a secret. */
    data: text().default('{}'),
    created_at: bigint(),
    /** The row of a resource that the event is about. */
    row_id: text().nullable,
  })
    .index('events_created', '(created_at, id)')
    .index('events_user', '(user_id, id)')
    .index('events_type', '(type, id)')
    .index('events_row', '(row_id, id) where row_id is not null'),
  idempotency_keys: table({
    /** A hash of the caller, the method, the path and the caller's key. */
    id: text().primary,
    body_hash: text(),
    /** Null while the first request runs. */
    status: integer().nullable,
    headers: text().nullable,
    body: text().nullable,
    created_at: bigint(),
  }).index('idempotency_keys_created', '(created_at)'),
  /** The declaration of each resource to which the database was last migrated. */
  resource_schemas: table({ name: text().primary, declaration: text(), updated_at: bigint() }),
  /** On PostgreSQL: the instances that listen for invalidations. Their ids are secret and only stored here. */
  instances: table({ id: text().primary, snapshot: text(), renewals: bigint() }),
  /** The settings at the last start. For a secret, only whether it is set. */
  known_settings: table({ name: text().primary, value: text() }),
  /** Keys that decrypt and verify the tokens of an imported service. They are deleted when the last token has expired. */
  legacy_keys: table({ id: text<'public' | 'app' | 'ids'>().primary, sealed: text(), created_at: bigint() }),
  /** The valid tokens of that service. All others are rejected. The id of an access token is the id of its session, from its `jti`. */
  legacy_tokens: table({
    id: text().primary,
    session_id: text(),
    expires_at: bigint(),
    pass: integer(),
    /** Null: valid. 0: its login ended here permanently. Otherwise: when the import ended it. A later import may restore it. */
    ended_at: bigint().optional,
  })
    .index('legacy_tokens_session', '(session_id)')
    .index('legacy_tokens_expires', '(expires_at)')
    .index('legacy_tokens_pass', '(pass)'),
  /** The users and clients of the imported service, and their ids here. */
  legacy_ids: table({
    source: text(),
    old_id: text(),
    new_id: text(),
    /** A hash of the imported row. With the version of the row here, it shows later changes on both sides. */
    fingerprint: text(),
    version: integer(),
    pass: integer(),
  })
    .constraint('primary key (source, old_id)')
    .index('legacy_ids_new', '(new_id)'),
  /** One row for each run of the import. */
  legacy_passes: table({
    id: integer().primary,
    started_at: bigint(),
    finished_at: bigint().nullable,
    report: text().nullable,
  }),
  /** Queued work. A row exists until its job is done. */
  queued_jobs: table({
    id: text().primary,
    name: text(),
    /** Searchable, for example the address of a mail. Never a secret. */
    subject: text().nullable,
    /** JSON, or encrypted JSON. */
    data: text(),
    attempts: integer().default(0),
    next_attempt_at: bigint(),
    /** The id of the running attempt. No other attempt starts before `leased_until`. */
    lease: text().nullable,
    leased_until: bigint().nullable,
    failed_at: bigint().nullable,
    last_error: text().nullable,
    created_at: bigint(),
  })
    .index('queued_jobs_next', '(name, next_attempt_at) where failed_at is null')
    .index('queued_jobs_failed', '(failed_at) where failed_at is not null')
    .index('queued_jobs_subject', '(subject) where subject is not null')
    .index('queued_jobs_created', '(created_at, id)'),
  operator_migrations: table({ name: text().primary, applied_at: bigint() }),
  /** On SQLite: invalidations between the processes that share the file, in commit order. */
  invalidations: table({ id: bigint().primary.generated, changes: text() }),
  /** Counts of events per hour. */
  activity: table({ hour: bigint(), kind: text(), count: bigint() }).constraint('primary key (hour, kind)'),
  /** How often each application used a tool at /mcp, day by day. */
  mcp_calls: table({
    id: text().primary,
    client_id: text(),
    /** The application's name at the last call. */
    application: text(),
    /** `YYYY-MM-DD`, in UTC. */
    day: text(),
    calls: integer(),
    last_tool: text(),
    last_call_at: bigint(),
  })
    .constraint('unique (client_id, day)')
    .index('mcp_calls_day', '(day, id)'),
  /** One row: the id of the log, and the last position that was pruned. */
  change_history: table({ id: text().primary, pruned_to: bigint().default(0) }),
  change_actor: table({ id: integer().primary, actor: text().nullable }),
  /** Tickets for browsers that open a stream, because they cannot send a header. Each ticket is valid once. */
  change_tickets: table({ id: text().primary, sealed_token: text(), expires_at: bigint() }).index(
    'change_tickets_expires',
    '(expires_at)',
  ),
  webhooks: table({
    id: text().primary,
    user_id: text().references('users'),
    url: text(),
    /** JSON lists. */
    resources: json<string[]>(),
    operations: json<string[]>(),
    search: text().nullable,
    active: integer().default(1),
    /** The reason for which the service disabled the webhook. */
    disabled_reason: text().nullable,
    signature: text<'hmac' | 'ed25519'>().default('hmac'),
    sealed_secret: text(),
    /** The previous secret also signs until `previous_until`. */
    sealed_previous: text().nullable,
    previous_until: bigint().nullable,
    /** Deliveries exist for all changes up to this position. */
    position: bigint().default(0),
    created_at: bigint(),
    updated_at: bigint(),
    version: bigint().default(1),
  }).index('webhooks_user', '(user_id)'),
  webhook_deliveries: table({
    id: text().primary,
    webhook_id: text().references('webhooks'),
    /** The position of the change. 0 for a ping. */
    position: bigint(),
    resource: text(),
    row_id: text(),
    operation: text(),
    body: text(),
    state: text<'waiting' | 'delivered' | 'failed'>(),
    attempts: integer().default(0),
    next_attempt_at: bigint(),
    leased_until: bigint().nullable,
    response_status: integer().nullable,
    response_body: text().nullable,
    error: text().nullable,
    duration_ms: bigint().nullable,
    created_at: bigint(),
    delivered_at: bigint().nullable,
  })
    .index('webhook_deliveries_due', "(webhook_id, next_attempt_at) where state = 'waiting'")
    .index('webhook_deliveries_row', "(webhook_id, row_id, position) where state = 'waiting'")
    .index('webhook_deliveries_webhook', '(webhook_id, id)')
    .index('webhook_deliveries_created', '(created_at)'),
  scheduled_jobs: table({
    /** The name of the job. */
    id: text().primary,
    schedule: text(),
    time_zone: text(),
    next_run_at: bigint(),
    last_run_at: bigint().nullable,
    last_state: text().nullable,
    created_at: bigint(),
  }),
  /** Runs of scheduled jobs. The id is the id of the queued job. */
  job_runs: table({
    id: text().primary,
    job_id: text().references('scheduled_jobs'),
    /** Null for a run that somebody requested. */
    scheduled_for: bigint().nullable,
    state: text(),
    attempts: integer().default(0),
    started_at: bigint().nullable,
    finished_at: bigint().nullable,
    error: text().nullable,
    created_at: bigint(),
  })
    .index('job_runs_job', '(job_id, id)')
    .index('job_runs_created', '(created_at, id)'),
};

/** Separate, because the positions come from a sequence on PostgreSQL. */
export const changeLogTables = {
  /** Every change of a resource with `changes`. Triggers write it. */
  change_log: table({
    position: position(),
    resource: text(),
    row_id: text(),
    operation: text<'created' | 'updated' | 'deleted'>(),
    version: bigint().nullable,
    /** JSON objects of stored values, by column. */
    before: text().nullable,
    after: text().nullable,
    /** JSON: the user and the client; null for the service itself. */
    actor: text().nullable,
    /** On PostgreSQL: the id of the writing transaction, to compare it with snapshots. */
    transaction_id: bigint().nullable,
    at: bigint(),
  }),
};
