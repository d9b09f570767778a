import type { Migration } from '../migration.ts';

/** The time zone that somebody's browser named at the last sign-in, for the times in mail. */
export const timeZones: Migration = {
  name: '025-time-zones',
  statements: ({ text }) => [
    `create table user_time_zones (
      user_id ${text} primary key references users (id) on delete cascade,
      time_zone ${text} not null
    )`,
  ],
};
