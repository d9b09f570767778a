/** The module `gatehouse-server/routes`, for files that declare routes or pages. */
export * from '../../src/resources/declaration/rules-and-errors.ts';
export { definePage, defineRoute, type Page, type Route, type RouteCall } from './define-route.ts';
