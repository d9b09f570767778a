import { defineResource, stepUp, text } from '../../../src/resources/declare.ts';

/** Reading requires a proof from the last five minutes. */
export default defineResource({
  name: 'vaults',
  fields: { name: text({ required: true }) },
  access: { read: stepUp({ maxAge: '5m' }), write: 'auth:api' },
  changes: true,
});
