import { defineResource, integer, text } from 'gatehouse-server/resources';

/** The rows of the long trial: written, read, searched, followed and delivered. */
export default defineResource({
  name: 'entries',
  fields: {
    label: text({ required: true, unique: true, searchable: true, sortable: true }),
    count: integer({ required: true, searchable: true, sortable: true }),
  },
  access: { read: 'auth:api', write: 'auth:api' },
  changes: true,
});
