import { anyOf, belongsTo, defineResource, hasMany, owner, reference, role, text } from 'gatehouse-server/resources';

/** People and companies that own cars. Owners can read their own row. Administrators can read and write all rows. */
export default defineResource({
  name: 'owners',
  description: 'People and companies that own cars.',
  icon: 'building',
  fields: {
    name: text({ required: true, max: 120, searchable: true, sortable: true, example: 'Ada Lovelace' }),
    city: text({ max: 80, searchable: true, sortable: true, example: 'London' }),
    user_id: reference('users', {
      unique: true,
      onDelete: 'set null',
      description: 'The user who acts for this owner.',
    }),
  },
  relations: {
    cars: hasMany('cars', { by: 'owner_id' }),
    user: belongsTo('users', { by: 'user_id' }),
  },
  changes: true,
  access: {
    read: anyOf(role('admin'), owner('user_id')),
    write: role('admin'),
  },
  defaultOrder: 'name',
});
