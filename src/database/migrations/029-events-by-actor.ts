import type { Migration } from '../migration.ts';

/** What somebody did to others is found as quickly as what happened to them. */
export const eventsByActor: Migration = {
  name: '029-events-by-actor',
  statements: () => [],
  indexes: [{ name: 'events_actor', on: 'events (actor_id, id) where actor_id is not null' }],
};
