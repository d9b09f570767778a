import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { App } from '../../src/http/app.ts';
import { isForm } from '../../src/http/bodies/content-type-parsers.ts';
import { rejectUnknownParameters } from '../../src/http/gate/declared-parameters.ts';
import { eagerCompilers } from '../../src/http/schema-compilers.ts';
import { codeOf, OperatorError, reasonOf } from '../../src/platform/errors.ts';
import { asObject } from '../../src/platform/is-object.ts';
import { stepUpText } from '../../src/resources/declaration/step-up.ts';
import type { ResourceServices } from '../../src/resources/model/resource-services.ts';
import { withoutEmpty } from '../../src/resources/query/list-query.ts';
import { closedSchema } from '../../src/resources/routes/closed-schema.ts';
import { readForm } from '../../src/resources/write/form-body.ts';
import type { Route } from './define-route.ts';
import type { LoadedRoute } from './load-routes.ts';
import { idParameter, routeCall, routeGuard } from './route-call.ts';

const emptySchema = Type.Object({});

/** Registers the endpoints of the operator. `checkForm` rejects cross-site requests with the session cookie. */
export function serveRoutes(
  app: App,
  services: ResourceServices,
  loaded: readonly LoadedRoute[],
  checkForm: (request: FastifyRequest) => void,
): void {
  for (const declared of loaded) {
    if (declared.kind !== 'route') continue;
    warnWithoutResource(services, declared.file, declared.route);
    try {
      serveRoute(app, services, declared, checkForm);
    } catch (error) {
      const { method, path } = declared.route;
      const isDuplicate = codeOf(error) === 'FST_ERR_DUPLICATED_ROUTE';
      const reason = isDuplicate ? 'already exists. Choose another path.' : `cannot be served: ${reasonOf(error)}`;
      throw new OperatorError(`${declared.file}: ${method} ${path} ${reason}`);
    }
  }
  for (const declared of loaded) requireGet(app, loaded, declared);
}

/** Warns about a route without `resource`, which could change a row that the caller may not change. */
function warnWithoutResource({ resources, context }: ResourceServices, file: string, route: Route): void {
  const { method, path } = route;
  const [, version, name = '', id] = path.split('/');
  if (version !== 'v1' || !resources.has(name) || !id?.startsWith(':') || route.resource !== undefined) return;
  context.log.warn(
    `${file}: ${method} ${path} does not apply the access rules of ${name} to the row. Add resource: '${name}', or resource: false.`,
  );
}

/** Spec 4.7: a PUT needs a GET of the same path. */
function requireGet(app: App, loaded: readonly LoadedRoute[], declared: LoadedRoute): void {
  if (declared.kind !== 'route' || declared.route.method !== 'PUT') return;
  const { path } = declared.route;
  const pathShape = (url: string) => url.replace(/:\w+/g, ':id');
  const hasDeclaredGet = loaded.some((other) =>
    other.kind === 'route'
      ? other.route.method === 'GET' && pathShape(other.route.path) === pathShape(path)
      : pathShape(other.page.path) === pathShape(path),
  );
  if (
    hasDeclaredGet ||
    app.hasRoute({ method: 'GET', url: path }) ||
    app.hasRoute({ method: 'GET', url: pathShape(path) })
  )
    return;
  throw new OperatorError(
    `${declared.file}: PUT ${path} has no GET with the same path, so its replaced value could not be read. Declare a GET, or use PATCH or POST.`,
  );
}

/**
 * What a route without `response` may return, for the API reference: any value, or none. It is not a schema of the route, because
 * Fastify would then serialize every response by it.
 */
const undeclaredResponses = (status: number) => ({
  [status]: { description: 'Done.', content: { 'application/json': { schema: {} } } },
  204: { description: 'Done.', type: 'null' },
});

function serveRoute(
  app: App,
  services: ResourceServices,
  { file, route }: LoadedRoute & { readonly route: Route },
  checkForm: (request: FastifyRequest) => void,
) {
  const { method, path, auth, params, query = emptySchema, body, response, status = 200 } = route;
  const { access, summary, handle } = route;
  const guard = routeGuard(services.resources, route);
  const { scope } = guard;
  if (route.resource && path.includes(':') && !idParameter(path))
    throw new OperatorError('name the id of the row ":id" in the path');
  const closedQuery = closedSchema(query);
  const isClosed = 'additionalProperties' in closedQuery && closedQuery.additionalProperties === false;
  const allowed = isClosed && !('patternProperties' in query) && new Set(Object.keys(query.properties ?? {}));
  const description = [route.description, stepUpText(access).trim()].filter(Boolean).join(' ') || undefined;
  app.route({
    method,
    url: path,
    config: {
      auth,
      query: 'own',
      ...(scope === undefined ? {} : { scope }),
      docs: () => ({ response: undeclaredResponses(status) }),
    },
    schema: {
      tags: [path.split('/')[path.startsWith('/v1/') ? 2 : 1] || 'pages'],
      ...(summary === undefined ? {} : { summary }),
      ...(description === undefined ? {} : { description }),
      ...(params ? { params } : {}),
      querystring: closedQuery,
      ...(body ? { body: closedSchema(body) } : {}),
      ...(response ? { response: { [status]: response } } : {}),
    },
    ...eagerCompilers(file),
    async preValidation(request) {
      // Converts strings of a path, a query string or a form to the types of the schema.
      if (params) request.params = readForm(request.params, params);
      const parameters = request.query as Readonly<Record<string, string>>;
      if (allowed) rejectUnknownParameters(parameters, allowed);
      request.query = readForm(withoutEmpty(parameters), query);
      if (auth === 'auth:web' && method !== 'GET') {
        checkForm(request);
        const { _csrf, ...fields } = asObject(request.body);
        const { properties } = asObject(body);
        // The parts of a union or an intersection may declare it.
        if (!body || (properties && !('_csrf' in asObject(properties)))) request.body = fields;
      }
      if (body && isForm(request)) request.body = readForm(request.body, body);
    },
    async handler(request, reply) {
      const row = await guard.check(services, request);
      const call = routeCall(services, request, reply, { guard, ...(row ? { row } : {}) });
      const result = await handle(call as Parameters<Route['handle']>[0]);
      if (reply.sent) return reply;
      if (method !== 'GET') reply.header('cache-control', 'no-store');
      if (result === undefined) return reply.code(204).send();
      // Fastify would send a string without JSON quotes.
      const data = typeof result === 'string' ? JSON.stringify(result) : result;
      return reply.code(status).type('application/json; charset=utf-8').send(data);
    },
  });
}
