import type { Migration } from '../migration.ts';

/** Which row of a resource an event is about, so that the history of a row can be read. */
export const rowsOfEvents: Migration = {
  name: '024-rows-of-events',
  statements: ({ text }) => [`alter table events add column row_id ${text}`],
  indexes: [{ name: 'events_row', on: 'events (row_id, id) where row_id is not null' }],
};
