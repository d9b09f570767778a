/** What a file that declares a resource imports, as `gatehouse/resources`. */
export {
  all,
  allOf,
  among,
  any,
  anyOf,
  compare,
  equals,
  isNull,
  lists,
  owner,
  related,
  role,
  scope,
} from './access.ts';
export { action, defineResource, type InputFor, type RowOf } from './define-resource.ts';
export {
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
} from './fields.ts';
export { belongsTo, hasMany, listsNames, manyToMany, namedBy } from './relations.ts';
