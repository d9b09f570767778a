/** What a file that declares a resource imports, as `gatehouse-server/resources`. */

export { Type } from 'typebox';
export type { Generated } from '../database/db.ts';
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
export { fromDecimalColumn, toDecimalColumn } from './declaration/fields/decimal-column.ts';
export * from './declaration/fields/field-builders.ts';
// The same under one name: `number`, `boolean`, `date` and `list` collide with names in users' code.
export * as t from './declaration/fields/field-builders.ts';
export { fold } from './declaration/fields/folding.ts';
export { belongsTo, hasMany, listsNames, manyToMany, namedBy } from './declaration/relations.ts';
export { stepUp } from './declaration/step-up.ts';
