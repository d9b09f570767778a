import { anyOf, defineResource, integer, owner, reference, role } from 'gatehouse-server/resources';

/** Counters that writers increment during faults, and that subscribers follow. */
export default defineResource({
  name: 'tallies',
  fields: {
    count: integer({ required: true, searchable: true }),
    user_id: reference('users', { searchable: true }),
  },
  access: { read: anyOf(role('admin'), owner('user_id')), write: role('admin') },
  changes: true,
});
