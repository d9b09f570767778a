/** The imports that declarations of resources and of routes share. */
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
} from '../../platform/errors.ts';
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
export { stepUp } from './step-up.ts';
