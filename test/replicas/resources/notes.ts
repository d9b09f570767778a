import { defineResource, text } from 'gatehouse-server/resources';

/** Every signed-in user sees all of them. */
export default defineResource({
  name: 'notes',
  fields: { text: text({ required: true, searchable: true }) },
  access: { read: 'auth:api', write: 'auth:api' },
});
