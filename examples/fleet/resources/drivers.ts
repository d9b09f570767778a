import { anyOf, date, defineResource, manyToMany, owner, reference, role, text } from 'gatehouse-server/resources';

/** Everybody with a token can read the drivers. A driver can change their own row, and an administrator all rows. */
export default defineResource({
  name: 'drivers',
  description: 'People who drive cars of the fleet.',
  icon: 'person',
  fields: {
    name: text({ required: true, max: 120, searchable: true, sortable: true, example: 'Max Verne' }),
    licence: text({ required: true, max: 20, unique: true, searchable: true, example: 'L-0001' }),
    licensed_until: date({ searchable: true, sortable: true }),
    user_id: reference('users', { onDelete: 'set null', immutable: true }),
  },
  relations: {
    cars: manyToMany('cars', { through: 'assignments', from: 'driver_id', to: 'car_id' }),
  },
  changes: true,
  access: {
    read: 'auth:api',
    write: anyOf(role('admin'), owner('user_id')),
    create: role('admin'),
    delete: role('admin'),
  },
});
