import { defineResource, stepUp, text } from '../../../src/resources/declare.ts';

/** Reading needs a proof that is at most five minutes old. */
export default defineResource({
  name: 'vaults',
  fields: { name: text({ required: true }) },
  access: { read: stepUp({ maxAge: '5m' }), write: 'auth:api' },
  changes: true,
});
