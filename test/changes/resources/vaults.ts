import { defineResource, stepUp, text } from '../../../src/resources/declare.ts';

/** Who reads it has proved who they are within five minutes. */
export default defineResource({
  name: 'vaults',
  fields: { name: text({ required: true }) },
  access: { read: stepUp({ maxAge: '5m' }), write: 'auth:api' },
  changes: true,
});
