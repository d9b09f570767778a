import type { Migration } from '../migration.ts';

/** How often what happened, hour by hour: for the overview, which must not walk over the trail. */
export const activity: Migration = {
  name: '023-activity',
  statements: ({ text, bigint }) => [
    `create table activity (hour ${bigint} not null, kind ${text} not null, count ${bigint} not null, primary key (hour, kind))`,
  ],
};
