import { belongsTo, defineResource, t } from 'gatehouse-server/resources';

/** Has soft delete. */
export default defineResource({
  name: 'albums',
  softDelete: true,
  fields: {
    title: t.text({ required: true, searchable: true, sortable: true }),
    genre: t.oneOf(['jazz', 'rock']),
    price: t.decimal({ precision: 8, scale: 2 }),
    label_id: t.reference('labels'),
    secret_id: t.reference('secrets'),
  },
  relations: {
    label: belongsTo('labels', { by: 'label_id' }),
    secret: belongsTo('secrets', { by: 'secret_id' }),
  },
  access: { read: 'auth:api', write: 'auth:api' },
});
