/** What a file that declares routes or pages imports, as `gatehouse-server/routes`. */
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
} from '../declaration/access.ts';
export { stepUp } from '../declaration/step-up.ts';
export { definePage, defineRoute, type Page, type Route, type RouteCall } from './define-route.ts';
