import type { preHandlerHookHandler } from 'fastify';
import { asObject } from '../../platform/is-object.ts';
import type { App } from '../app.ts';
import { unknownName } from '../errors/parameter-errors.ts';
import { queryOf } from '../query-of.ts';
import { isApiPath } from './accept.ts';

export function rejectUnknownParameters(query: Readonly<Record<string, string>>, allowed: ReadonlySet<string>): void {
  for (const name in query) {
    if (!allowed.has(name)) throw unknownName('The parameter', name, [...allowed], 'parameter_unknown');
  }
}

/**
 * Under `/v1`, a route rejects the parameters of the query string that it does not declare. OAuth endpoints ignore
 * them (RFC 6749 3.1 and 3.2), and so do pages.
 */
export function requireDeclaredParameters(app: App): void {
  app.addHook('onRoute', (route) => {
    const declared = asObject(asObject(route.schema?.querystring).properties);
    const { query = Object.keys(declared), errors = 'problem' } = route.config ?? {};
    if (typeof query === 'string' || errors !== 'problem' || !isApiPath(route.url)) return;
    const allowed = new Set(query);
    const check: preHandlerHookHandler = (request, _reply, done) => {
      rejectUnknownParameters(queryOf(request), allowed);
      done();
    };
    route.preHandler = [check, ...[route.preHandler ?? []].flat()];
  });
}
