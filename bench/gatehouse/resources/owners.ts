import { defineResource, hasMany, text } from '../../../src/resources/declare.ts';

export default defineResource({
  name: 'owners',
  fields: { name: text({ required: true, max: 100, searchable: true, sortable: true }) },
  relations: { cars: hasMany('cars', { by: 'owner_id' }) },
  access: { read: 'auth:api', write: 'auth:api' },
});
