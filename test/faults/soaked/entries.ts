import { defineResource, integer, text } from 'gatehouse-server/resources';

/** What the long trial writes, reads, searches, follows and has delivered. */
export default defineResource({
  name: 'entries',
  fields: {
    label: text({ required: true, unique: true, searchable: true, sortable: true }),
    count: integer({ required: true, searchable: true, sortable: true }),
  },
  access: { read: 'auth:api', write: 'auth:api' },
  changes: true,
});
