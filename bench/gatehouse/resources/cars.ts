import { belongsTo, defineResource, integer, reference, text } from '../../../src/resources/declare.ts';

export default defineResource({
  name: 'cars',
  fields: {
    plate: text({ required: true, max: 12, searchable: true, sortable: true }),
    color: text({ required: true, max: 20, searchable: true }),
    seats: integer({ min: 1, max: 60, default: 4, sortable: true }),
    owner_id: reference('owners', { required: true }),
  },
  relations: { owner: belongsTo('owners', { by: 'owner_id' }) },
  access: { read: 'auth:api', write: 'auth:api' },
});
