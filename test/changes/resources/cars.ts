import {
  anyOf,
  belongsTo,
  boolean,
  computed,
  defineResource,
  equals,
  integer,
  list,
  number,
  owner,
  reference,
  related,
  role,
  text,
} from '../../../src/resources/declare.ts';

export default defineResource({
  name: 'cars',
  fields: {
    plate: text({ required: true, unique: true, searchable: true, sortable: true }),
    seats: integer({ default: 4, searchable: true }),
    weight: number(),
    electric: boolean({ default: false, searchable: true }),
    tags: list({ searchable: true }),
    pin: text({ writeOnly: true }),
    shout: computed({ as: 'text', from: ['plate'] }, ({ plate }) => `${plate}!`),
    user_id: reference('users', { default: ({ caller }) => caller.userId, searchable: true }),
    owner_id: reference('owners', { onDelete: 'cascade' }),
  },
  relations: { owner: belongsTo('owners', { by: 'owner_id' }) },
  access: {
    read: anyOf(role('admin'), owner('user_id'), (caller) => related('owner', equals('user_id', caller.userId))),
    write: 'auth:api',
  },
  changes: true,
});
