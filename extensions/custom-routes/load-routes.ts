import { importFile, modulesIn } from '../../src/config/import-file.ts';
import { OperatorError } from '../../src/platform/errors.ts';
import { asObject, isObject } from '../../src/platform/is-object.ts';
import { isOneOf } from '../../src/platform/is-one-of.ts';
import {
  checkOptions,
  describeValue,
  didYouMean,
  type ReportMistake,
} from '../../src/resources/declaration/check-options.ts';
import { methods } from '../../src/resources/declaration/define-resource.ts';
import {
  anything,
  callback,
  type OptionKind,
  type OptionKinds,
  oneOfValues,
  schema,
  successStatus,
  textOption,
} from '../../src/resources/declaration/option-kind.ts';
import type { DeclaredRoute, Page, Route } from './define-route.ts';

const objectSchema: OptionKind = {
  expected: 'Type.Object({ … })',
  accepts: (value) => schema.accepts(value) && asObject(value).type === 'object',
};

/** The options of a route. The compiler checks that each option is here. */
const routeOptions: OptionKinds<Route> = {
  method: oneOfValues(...methods),
  path: anything,
  auth: anything,
  scope: anything,
  resource: {
    expected: 'the name of a resource, or false',
    accepts: (value) => value === false || textOption.accepts(value),
  },
  access: anything,
  summary: textOption,
  description: textOption,
  params: objectSchema,
  query: objectSchema,
  body: schema,
  response: schema,
  status: successStatus,
  handle: callback,
};

const pageOptions: OptionKinds<Page> = { path: anything, auth: anything, view: textOption, load: callback };

function checkDeclaredRoute(declared: DeclaredRoute): string[] {
  const mistakes: string[] = [];
  const report = (where: string, message: string) => void mistakes.push(`${where}: ${message}`);
  if (declared.kind === 'route') {
    checkOptions('', declared.route, routeOptions, report);
    requireOptions(declared.route, ['method', 'handle'], report);
    checkRoute(declared.route, report);
  } else {
    checkOptions('', declared.page, pageOptions, report);
    requireOptions(declared.page, ['view'], report);
    checkPage(declared.page, report);
  }
  return mistakes;
}

function requireOptions<D extends Route | Page>(
  declared: D,
  names: readonly (keyof D & string)[],
  report: ReportMistake,
) {
  for (const name of names) if (declared[name] === undefined) report(name, 'it is missing.');
}

function checkRoute(route: Route, report: ReportMistake): void {
  const { path, auth, scope, method, params, body } = route;
  checkPath(path, report);
  checkAccess(route, report);
  checkAuth(auth, ['public', 'auth:api', 'auth:web'], report);
  if (scope !== undefined && !/^[a-z][a-z0-9_-]*:[a-z][a-z0-9_-]*$/.test(scope)) {
    report('scope', `expected <resource>:<what>, such as reports:read; got ${describeValue(scope)}.`);
  }
  if (scope !== undefined && auth === 'public') report('scope', 'it needs a token: auth must be auth:api.');
  if (method === 'GET' && body !== undefined) report('body', 'a GET has no body: use `query` instead.');
  if (typeof path === 'string' && params && objectSchema.accepts(params)) checkParams(path, params, report);
}

const resourceRules = ['read', 'write', 'create', 'update', 'delete'];
const accessWords = [...resourceRules, 'public', 'auth:api', 'nobody'];

function checkAccess({ access, auth, resource }: Route, report: ReportMistake): void {
  if (access === undefined) return;
  if (typeof access !== 'function' && !accessWords.includes(access)) {
    report(
      'access',
      `expected a rule such as role('admin'), or a word; got ${describeValue(access)}.${didYouMean(String(access), accessWords)}`,
    );
  } else if (!resource && isOneOf(resourceRules, access)) {
    report('access', `"${access}" is a rule of a resource: name the resource with \`resource\`.`);
  }
  const isOpen = access === 'public' || (resource && access === 'read');
  if (auth === 'public' && !isOpen) report('access', 'it needs a caller: auth must be auth:api or auth:web.');
}

/** A parameter that is missing in the path would fail the validation of every request. */
function checkParams(path: string, params: { readonly properties?: object }, report: ReportMistake): void {
  const pathParameters = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const declaredParameters = Object.keys(params.properties ?? {});
  for (const name of declaredParameters) {
    if (!pathParameters.includes(name))
      report(`params.${name}`, `the path has no ":${name}".${didYouMean(name, pathParameters)}`);
  }
}

function checkPage({ path, auth }: Page, report: ReportMistake): void {
  checkPath(path, report);
  if (path === '/v1' || path?.startsWith?.('/v1/'))
    report('path', 'a page is not under /v1, where responses are JSON.');
  checkAuth(auth, ['public', 'auth:web'], report);
}

function checkAuth(auth: unknown, allowed: readonly string[], report: ReportMistake): void {
  if (isOneOf(allowed, auth)) return;
  const suggestion = didYouMean(String(auth), allowed);
  report(
    'auth',
    auth === undefined ? `it is missing.${suggestion}` : `${describeValue(auth)} is not known.${suggestion}`,
  );
}

/** Under `/v1` the naming rules of the spec apply. */
function checkPath(path: unknown, report: ReportMistake): void {
  if (typeof path !== 'string' || !/^\/([\w\-.:]+(\/[\w\-.:]+)*)?$/.test(path) || /(^|\/)\.\.?(\/|$)/.test(path)) {
    report('path', `expected a path such as /v1/reports/:id; got ${describeValue(path)}.`);
    return;
  }
  const names = [...path.matchAll(/:\w+/g)].map(([name]) => name);
  const duplicate = names.find((name, i) => names.indexOf(name) < i);
  if (duplicate !== undefined) report('path', `it has the parameter ${duplicate} twice; rename one of the two.`);
  if (path !== '/v1' && !path.startsWith('/v1/')) return;
  const parts = path.split('/').slice(2);
  const invalidPart = parts.find((part) => !/^([a-z][a-z0-9_-]*|:[a-z_]\w*)$/.test(part));
  if (invalidPart !== undefined) {
    report(
      'path',
      `"${invalidPart}" is not a name. Under /v1 names are lowercase words with dashes or underscores, and have no extension.`,
    );
  } else if (parts.length === 0 || parts[0]?.startsWith(':')) {
    report('path', 'after /v1 comes a plural noun, such as /v1/reports.');
  } else if (parts.length > 3) {
    report('path', 'it is too deep: under /v1, a path has at most a resource, its id and one more name.');
  }
}

export type LoadedRoute = DeclaredRoute & { readonly file: string };

export async function loadRoutes(dir: string): Promise<LoadedRoute[]> {
  const loaded: LoadedRoute[] = [];
  const problems: string[] = [];
  for (const file of modulesIn(dir, { recursive: true })) {
    const exported = await importFile(file);
    const declared = Object.values(exported).filter(isDeclared);
    if (declared.length === 0 || ('default' in exported && !isDeclared(exported.default))) {
      throw new OperatorError(`${file}: it must \`export default defineRoute({ … })\` or definePage({ … }).`);
    }
    for (const declaration of declared) {
      for (const mistake of checkDeclaredRoute(declaration)) problems.push(`${file}: ${mistake}`);
      loaded.push({ ...declaration, file });
    }
  }
  if (problems.length > 0) throw new OperatorError(`Routes are wrong:\n  ${problems.join('\n  ')}`);
  return loaded;
}

function isDeclared(value: unknown): value is DeclaredRoute {
  const { kind, route, page } = asObject(value);
  return (kind === 'route' && isObject(route)) || (kind === 'page' && isObject(page));
}
