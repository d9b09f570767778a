import { anyOf, owner, role } from '../../src/resources/declaration/access.ts';
import { defineResource } from '../../src/resources/declaration/define-resource.ts';
import { belongsTo, hasMany, manyToMany } from '../../src/resources/declaration/relations.ts';
import {
  boolean,
  computed,
  date,
  integer,
  json,
  list,
  number,
  oneOf,
  reference,
  text,
  timestamp,
  uuid,
} from '../../src/resources/declare.ts';

/** Resources of every kind of field and relation, for the engine's own tests. */
export const users = defineResource({
  name: 'users',
  managed: false,
  fields: {
    email: text({ searchable: true, sortable: true, folded: 'stored' }),
    name: text({ searchable: true, sortable: true }),
    roles: list({ searchable: true }),
    password_hash: text({ hidden: true }),
    created_at: timestamp({ readOnly: true, required: true, sortable: true }),
    updated_at: timestamp({ readOnly: true, required: true }),
  },
  access: { read: anyOf(role('admin'), owner('id')), write: role('admin') },
  relations: { owners: hasMany('owners', { by: 'user_id' }) },
  operations: ['list', 'find', 'update'],
});

export const owners = defineResource({
  name: 'owners',
  fields: {
    name: text({ required: true, max: 80, searchable: true, sortable: true }),
    user_id: reference('users', { default: ({ caller }) => caller.userId, searchable: true }),
  },
  relations: { cars: hasMany('cars', { by: 'owner_id' }), user: belongsTo('users', { by: 'user_id' }) },
  access: { read: anyOf(role('admin'), owner('user_id')), write: anyOf(role('admin'), owner('user_id')) },
});

export const cars = defineResource({
  name: 'cars',
  fields: {
    plate: text({ required: true, max: 12, unique: true, searchable: true, sortable: true }),
    model: text({ max: 100, searchable: true, sortable: true }),
    seats: integer({ min: 1, max: 60, default: 4, searchable: true, sortable: true }),
    weight: number({ min: 0, searchable: true, sortable: true }),
    electric: boolean({ default: false, searchable: true, sortable: true }),
    built: date({ searchable: true, sortable: true }),
    serviced_at: timestamp({ searchable: true, sortable: true }),
    color: oneOf(['red', 'Green', 'blue'], { searchable: true, sortable: true }),
    extras: json(),
    tags: list({ searchable: true }),
    chassis: uuid({ searchable: true, sortable: true, immutable: true }),
    pin: text({ writeOnly: true }),
    inspected: boolean({ readOnly: true, default: false }),
    label: computed({ as: 'text', from: ['plate', 'seats'] }, (row) => `${row.plate} (${row.seats})`),
    owner_id: reference('owners', { required: true, searchable: true }),
  },
  relations: {
    owner: belongsTo('owners', { by: 'owner_id' }),
    drivers: manyToMany('drivers', { through: 'assignments', from: 'car_id', to: 'driver_id' }),
    assignments: hasMany('assignments', { by: 'car_id' }),
  },
  access: { read: 'auth:api', write: 'auth:api' },
  events: true,
});

export const drivers = defineResource({
  name: 'drivers',
  fields: { name: text({ required: true, searchable: true, sortable: true }) },
  relations: { cars: manyToMany('cars', { through: 'assignments', from: 'driver_id', to: 'car_id' }) },
  access: { read: 'public', write: role('admin') },
});

export const assignments = defineResource({
  name: 'assignments',
  fields: {
    car_id: reference('cars', { required: true, onDelete: 'cascade' }),
    driver_id: reference('drivers', { required: true, onDelete: 'cascade' }),
  },
  uniqueTogether: [['car_id', 'driver_id']],
  access: { read: 'auth:api', write: role('admin') },
});

export const garage = [users, owners, cars, drivers, assignments];
