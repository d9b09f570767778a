import type { Migration } from '../migration.ts';

/** Attempts whose result is not known yet count for a short time only: an instance that dies leaves no failures behind. */
export const attemptsUnderWay: Migration = {
  name: '010-attempts-under-way',
  statements: ({ bigint }) => [
    'alter table throttles add column pending integer not null default 0',
    `alter table throttles add column pending_until ${bigint} not null default 0`,
  ],
};
