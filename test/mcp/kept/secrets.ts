import { defineResource, t } from 'gatehouse-server/resources';

/** Not for AI applications. */
export default defineResource({
  name: 'secrets',
  fields: { word: t.text({ required: true, searchable: true, sortable: true }) },
  access: { read: 'auth:api', write: 'auth:api' },
  mcp: false,
});
