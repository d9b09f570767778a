import { boolean, defineResource } from '../../../src/resources/declare.ts';

export default defineResource({
  name: 'labels',
  fields: { open: boolean({ default: true }) },
  access: { read: 'auth:api', write: 'auth:api' },
});
