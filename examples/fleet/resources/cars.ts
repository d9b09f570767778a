import {
  action,
  anyOf,
  belongsTo,
  boolean,
  computed,
  date,
  defineResource,
  equals,
  hasMany,
  integer,
  json,
  list,
  manyToMany,
  number,
  oneOf,
  reference,
  related,
  role,
  text,
  timestamp,
} from 'gatehouse/resources';
import { Type } from 'typebox';

/** Everybody with a token sees the cars; an owner writes its own, an administrator all. */
export default defineResource({
  name: 'cars',
  description: 'The cars of the fleet.',
  fields: {
    plate: text({
      required: true,
      max: 12,
      pattern: /^[A-Z0-9][A-Z0-9 -]*$/,
      unique: true,
      searchable: true,
      sortable: true,
      example: 'AB 123',
    }),
    model: text({ required: true, max: 80, searchable: true, sortable: true, example: 'Fiat Panda' }),
    kind: oneOf(['car', 'van', 'truck'], { default: 'car', searchable: true, sortable: true }),
    seats: integer({ min: 1, max: 60, default: 4, searchable: true, sortable: true }),
    price_per_day: number({ min: 0, searchable: true, sortable: true, example: 39.5 }),
    electric: boolean({ default: false, searchable: true }),
    first_registered: date({ searchable: true, sortable: true }),
    tags: list({ default: [], searchable: true }),
    equipment: json(),
    parked_at: text({ readOnly: true, max: 120 }),
    parked_since: timestamp({ readOnly: true, sortable: true }),
    title: computed({ as: 'text', from: ['model', 'plate'] }, ({ model, plate }) => `${model} (${plate})`),
    owner_id: reference('owners', { required: true, searchable: true, onDelete: 'restrict' }),
  },
  relations: {
    owner: belongsTo('owners', { by: 'owner_id' }),
    drivers: manyToMany('drivers', { through: 'assignments', from: 'car_id', to: 'driver_id' }),
    assignments: hasMany('assignments', { by: 'car_id' }),
  },
  access: {
    read: 'auth:api',
    write: anyOf(
      role('admin'),
      (caller) => caller.userId !== null && related('owner', equals('user_id', caller.userId)),
    ),
  },
  actions: [
    action({
      name: 'park',
      summary: 'Park a car',
      body: Type.Object({ place: Type.String({ minLength: 1, maxLength: 120 }) }, { additionalProperties: false }),
      response: Type.Object({ parked_at: Type.String(), parked_since: Type.String() }),
      run: ({ body, now, change }) => change({ parked_at: body.place, parked_since: new Date(now).toISOString() }),
    }),
  ],
  events: true,
});
