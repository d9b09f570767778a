/** The module `gatehouse-server/resources`, for files that declare a resource. */

export type { Generated } from '../database/db.ts';
export { action, defineResource, type InputFor, type RowOf } from './declaration/define-resource.ts';
export { fromDecimalColumn, toDecimalColumn } from './declaration/fields/decimal.ts';
export * from './declaration/fields/field-builders.ts';
// Also exported under one name, because `number`, `boolean`, `date` and `list` collide with names in users' code.
export * as t from './declaration/fields/field-builders.ts';
export { fold } from './declaration/fields/folding.ts';
export { belongsTo, hasMany, listsNames, manyToMany, namedBy } from './declaration/relations.ts';
export * from './declaration/rules-and-errors.ts';
