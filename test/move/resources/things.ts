import {
  boolean,
  date,
  defineResource,
  integer,
  json,
  list,
  number,
  oneOf,
  reference,
  text,
  timestamp,
  uuid,
} from '../../../src/resources/declare.ts';

/** Every field type, and circular references. */
export default defineResource({
  name: 'things',
  fields: {
    code: text({ required: true, unique: true, max: 40, searchable: true, sortable: true }),
    note: text({ min: 0, max: 5000 }),
    large: integer({ searchable: true, sortable: true }),
    small: number({ searchable: true, sortable: true }),
    good: boolean({ default: false, searchable: true }),
    day: date({ searchable: true }),
    moment: timestamp({ searchable: true }),
    color: oneOf(['red', 'Green'], { searchable: true }),
    extras: json(),
    tags: list({ searchable: true }),
    serial: uuid(),
    parent_id: reference('things', { onDelete: 'set null' }),
    owner_id: reference('users', { onDelete: 'cascade' }),
  },
  access: { read: 'auth:api', write: 'auth:api' },
});
