import { defineResource, t } from 'gatehouse-server/resources';

export default defineResource({
  name: 'labels',
  fields: { name: t.text({ required: true, searchable: true, sortable: true }) },
  access: { read: 'auth:api', write: 'auth:api' },
});
