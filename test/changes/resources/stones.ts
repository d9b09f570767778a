import { defineResource, text } from '../../../src/resources/declare.ts';

export default defineResource({
  name: 'stones',
  fields: { name: text({ required: true }) },
  access: { read: 'auth:api', write: 'auth:api' },
});
