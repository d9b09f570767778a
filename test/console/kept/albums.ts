import { defineResource, t } from 'gatehouse-server/resources';

/** Has soft delete and figures. */
export default defineResource({
  name: 'albums',
  softDelete: true,
  events: true,
  fields: {
    title: t.text({ required: true, searchable: true, sortable: true }),
    genre: t.oneOf(['jazz', 'rock'], { searchable: true }),
    price: t.decimal({ precision: 8, scale: 2, min: 0, searchable: true, sortable: true }),
  },
  access: { read: 'auth:api', write: 'auth:api' },
});
