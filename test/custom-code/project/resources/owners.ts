import { defineResource, t } from 'gatehouse-server/resources';

export default defineResource({
  name: 'owners',
  fields: { name: t.text({ required: true, searchable: true }) },
  access: { read: 'auth:api', write: 'auth:api' },
  softDelete: true,
});
