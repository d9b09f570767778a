/** What a file that declares routes or pages imports, as `gatehouse-server/routes`. */
export * from '../declaration/rules-and-errors.ts';
export { definePage, defineRoute, type Page, type Route, type RouteCall } from './define-route.ts';
