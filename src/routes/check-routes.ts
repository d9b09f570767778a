import { nearest } from '../nearest.ts';
import type { Declared, Page, Route } from './define-route.ts';

const routeKeys = [
  'method',
  'path',
  'auth',
  'scope',
  'summary',
  'description',
  'params',
  'query',
  'body',
  'response',
  'status',
  'handle',
];
const pageKeys = ['path', 'auth', 'view', 'load'];
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** What is wrong with a declared route or page: one sentence each. */
export function complaintsAbout(declared: Declared): string[] {
  return declared.kind === 'route' ? aboutRoute(declared.route) : aboutPage(declared.page);
}

function aboutRoute(route: Route): string[] {
  const { method, auth, scope, handle } = route;
  return [
    ...unknownKeys(route, routeKeys),
    ...(methods.includes(method) ? [] : [`method is ${show(method)}; it takes one of ${methods.join(', ')}.`]),
    ...aboutPath(route.path),
    ...aboutAuth(auth, ['public', 'auth:api', 'auth:web']),
    ...(typeof handle === 'function' ? [] : ['handle is missing: the function that answers.']),
    ...(scope === undefined || /^[a-z][a-z0-9-]*:[a-z][a-z0-9-]*$/.test(scope)
      ? []
      : [`scope is ${show(scope)}; it takes <resource>:<what>, such as reports:read.`]),
    ...(scope !== undefined && auth === 'public' ? ['scope needs a token: auth must be auth:api.'] : []),
    ...(method === 'GET' && route.body !== undefined ? ['a GET has no body: take `query` instead.'] : []),
  ];
}

function aboutPage(page: Page): string[] {
  return [
    ...unknownKeys(page, pageKeys),
    ...aboutPath(page.path),
    ...(page.path?.startsWith('/v1') ? ['a page is not under /v1, where answers are JSON.'] : []),
    ...aboutAuth(page.auth, ['public', 'auth:web']),
    ...(typeof page.view === 'string' ? [] : ['view is missing: the name of a view in VIEWS_DIR.']),
  ];
}

const show = (value: unknown): string => JSON.stringify(value) ?? 'undefined';

function unknownKeys(declared: object, known: readonly string[]): string[] {
  return Object.keys(declared)
    .filter((key) => !known.includes(key))
    .map((key) => {
      const near = nearest(key, known);
      return `"${key}" is not known here.${near ? ` Did you mean "${near}"?` : ''} It takes ${known.join(', ')}.`;
    });
}

const aboutAuth = (auth: unknown, known: readonly string[]): string[] =>
  known.includes(auth as string) ? [] : [`auth is ${show(auth)}; it takes one of ${known.join(', ')}.`];

/** The spec's rules for names hold under `/v1`; elsewhere a path only has to be one. */
function aboutPath(path: unknown): string[] {
  if (typeof path !== 'string' || !/^\/[\w\-./:]*$/.test(path)) {
    return [`path is ${show(path)}; it takes a path such as /v1/reports/:id.`];
  }
  if (path !== '/v1' && !path.startsWith('/v1/')) return [];
  const parts = path.split('/').slice(2);
  const wrong = parts.find((part) => !/^([a-z][a-z0-9-]*|:[a-z_]\w*)$/.test(part));
  if (wrong !== undefined) {
    return [`path: "${wrong}" is not a name. Under /v1 names are lowercase words with dashes, and have no extension.`];
  }
  return parts.length > 3 ? ['path is too deep: under /v1 a resource, its id and one more name are the most.'] : [];
}
