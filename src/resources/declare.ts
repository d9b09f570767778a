/** What a file that declares a resource imports, as `gatehouse-server/resources`. */
export { Type } from 'typebox';
export {
  badRequest,
  conflict,
  forbidden,
  notFound,
  Problem,
  preconditionFailed,
  tooManyRequests,
  unavailable,
  unprocessable,
} from '../platform/errors.ts';
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
export { boolean } from './declaration/fields/boolean.ts';
export { computed } from './declaration/fields/computed.ts';
export { date } from './declaration/fields/date.ts';
export { integer } from './declaration/fields/integer.ts';
export { json } from './declaration/fields/json.ts';
export { list } from './declaration/fields/list.ts';
export { number } from './declaration/fields/number.ts';
export { oneOf } from './declaration/fields/one-of.ts';
export { reference } from './declaration/fields/reference.ts';
export { text } from './declaration/fields/text.ts';
export { timestamp } from './declaration/fields/timestamp.ts';
export { uuid } from './declaration/fields/uuid.ts';
export { belongsTo, hasMany, listsNames, manyToMany, namedBy } from './declaration/relations.ts';
export { stepUp } from './declaration/step-up.ts';
