import type { Migration } from '../migration.ts';

/**
 * Work that must happen, until it has. Mail of today waits here; what an older version puts into `mails` is taken over
 * by whoever sends, so that both can run side by side.
 */
export const jobs: Migration = {
  name: '012-jobs',
  statements: ({ text, bigint }) => [
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
  ],
};
