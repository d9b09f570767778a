/** What a file that declares a resource imports, as `gatehouse/resources`. */
export { Type } from 'typebox';
export { badRequest, conflict, forbidden, notFound, Problem, tooManyRequests, unprocessable } from '../errors.ts';
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
} from './declaration/access.ts';
export { action, defineResource, type InputFor, type RowOf } from './declaration/define-resource.ts';
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
} from './declaration/fields.ts';
export { belongsTo, hasMany, listsNames, manyToMany, namedBy } from './declaration/relations.ts';
