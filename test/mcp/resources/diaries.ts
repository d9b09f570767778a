import { defineResource, text } from 'gatehouse-server/resources';

/** Not for AI applications. */
export default defineResource({
  name: 'diaries',
  fields: { title: text({ required: true }) },
  access: { read: 'auth:api', write: 'auth:api' },
  mcp: false,
});
