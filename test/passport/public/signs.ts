import { defineResource, text } from '../../../src/resources/declare.ts';

/** Everybody can read these without a token. */
export default defineResource({
  name: 'signs',
  fields: { words: text({ required: true }) },
  access: { read: 'public', write: 'auth:api' },
});
