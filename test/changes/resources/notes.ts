import { defineResource, text } from '../../../src/resources/declare.ts';

export default defineResource({
  name: 'notes',
  fields: { title: text({ required: true }), body: text(), quiet: text() },
  access: { read: 'auth:api', write: 'auth:api' },
  changes: ['title'],
});
