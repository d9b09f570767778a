import { asObject } from '../../platform/is-object.ts';
import { isOneOf } from '../../platform/is-one-of.ts';
import { checkOptions, describeValue, didYouMean } from '../declaration/check-options.ts';
import { methods } from '../declaration/known-options.ts';
import {
  anything,
  callback,
  type OptionKind,
  type OptionKinds,
  oneOfWords,
  schema,
  successStatus,
  words,
} from '../declaration/option-kind.ts';
import type { DeclaredRoute, Page, Route } from './define-route.ts';

const objectSchema: OptionKind = {
  expected: 'Type.Object({ … })',
  accepts: (value) => schema.accepts(value) && asObject(value).type === 'object',
};

/** The options of a route. The compiler checks that each option is here. */
export const routeOptions: OptionKinds<Route> = {
  method: oneOfWords(...methods),
  path: anything,
  auth: anything,
  scope: anything,
  resource: {
    expected: 'the name of a resource, or false',
    accepts: (value) => value === false || words.accepts(value),
  },
  access: anything,
  summary: words,
  description: words,
  params: objectSchema,
  query: objectSchema,
  body: schema,
  response: schema,
  status: successStatus,
  handle: callback,
};

const pageOptions: OptionKinds<Page> = { path: anything, auth: anything, view: words, load: callback };

/** The mistakes in a declared route or page, one sentence each. */
export function checkDeclaredRoute(declared: DeclaredRoute): string[] {
  const found: string[] = [];
  const complain = (where: string, what: string) => void found.push(`${where}: ${what}`);
  if (declared.kind === 'route') {
    checkOptions('', declared.route, routeOptions, complain);
    requireOptions(declared.route, ['method', 'handle'], complain);
    checkRoute(declared.route, complain);
  } else {
    checkOptions('', declared.page, pageOptions, complain);
    requireOptions(declared.page, ['view'], complain);
    checkPage(declared.page, complain);
  }
  return found;
}

type Complain = (where: string, what: string) => void;

function requireOptions<D extends Route | Page>(declared: D, names: readonly (keyof D & string)[], complain: Complain) {
  for (const name of names) if (declared[name] === undefined) complain(name, 'it is missing.');
}

function checkRoute(route: Route, complain: Complain): void {
  const { path, auth, scope, method, params, body } = route;
  checkPath(path, complain);
  checkAccess(route, complain);
  checkAuth(auth, ['public', 'auth:api', 'auth:web'], complain);
  if (scope !== undefined && !/^[a-z][a-z0-9_-]*:[a-z][a-z0-9_-]*$/.test(scope)) {
    complain('scope', `expected <resource>:<what>, such as reports:read; got ${describeValue(scope)}.`);
  }
  if (scope !== undefined && auth === 'public') complain('scope', 'it needs a token: auth must be auth:api.');
  if (method === 'GET' && body !== undefined) complain('body', 'a GET has no body: use `query` instead.');
  if (typeof path === 'string' && objectSchema.accepts(params)) checkParams(path, params as object, complain);
}

const resourceRules = ['read', 'write', 'create', 'update', 'delete'];
const accessWords = [...resourceRules, 'public', 'auth:api', 'nobody'];

function checkAccess({ access, auth, resource }: Route, complain: Complain): void {
  if (access === undefined) return;
  if (typeof access !== 'function' && !accessWords.includes(access)) {
    complain(
      'access',
      `expected a rule such as role('admin'), or a word; got ${describeValue(access)}.${didYouMean(String(access), accessWords)}`,
    );
  } else if (!resource && isOneOf(resourceRules, access)) {
    complain('access', `"${access}" is a rule of a resource: name the resource with \`resource\`.`);
  }
  const isOpen = access === 'public' || (resource && access === 'read');
  if (auth === 'public' && !isOpen) complain('access', 'it needs a caller: auth must be auth:api or auth:web.');
}

/** A parameter that is missing in the path would fail the validation of every request. */
function checkParams(path: string, params: { readonly properties?: object }, complain: Complain): void {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const described = Object.keys(params.properties ?? {});
  for (const name of described) {
    if (!inPath.includes(name)) complain(`params.${name}`, `the path has no ":${name}".${didYouMean(name, inPath)}`);
  }
}

function checkPage({ path, auth }: Page, complain: Complain): void {
  checkPath(path, complain);
  if (path === '/v1' || path?.startsWith?.('/v1/'))
    complain('path', 'a page is not under /v1, where answers are JSON.');
  checkAuth(auth, ['public', 'auth:web'], complain);
}

function checkAuth(auth: unknown, known: readonly string[], complain: Complain): void {
  if (isOneOf(known, auth)) return;
  const near = didYouMean(String(auth), known);
  complain('auth', auth === undefined ? `it is missing.${near}` : `${describeValue(auth)} is not known.${near}`);
}

/** Under `/v1` the naming rules of the spec apply. */
function checkPath(path: unknown, complain: Complain): void {
  if (typeof path !== 'string' || !/^\/([\w\-.:]+(\/[\w\-.:]+)*)?$/.test(path) || /(^|\/)\.\.?(\/|$)/.test(path)) {
    complain('path', `expected a path such as /v1/reports/:id; got ${describeValue(path)}.`);
    return;
  }
  if (path !== '/v1' && !path.startsWith('/v1/')) return;
  const parts = path.split('/').slice(2);
  const wrong = parts.find((part) => !/^([a-z][a-z0-9_-]*|:[a-z_]\w*)$/.test(part));
  if (wrong !== undefined) {
    complain(
      'path',
      `"${wrong}" is not a name. Under /v1 names are lowercase words with dashes or underscores, and have no extension.`,
    );
  } else if (parts.length === 0 || parts[0]?.startsWith(':')) {
    complain('path', 'after /v1 comes a plural noun, such as /v1/reports.');
  } else if (parts.length > 3) {
    complain('path', 'it is too deep: under /v1, a path has at most a resource, its id and one more name.');
  }
}
