import type { Migration } from '../migration.ts';

/** When scheduled jobs run next, and how their last runs ended. */
export const schedules: Migration = {
  name: '013-schedules',
  statements: ({ text, bigint }) => [
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
  ],
};
