import type { preValidationHookHandler, RouteOptions } from 'fastify';
import type { Database } from '../../database/database.ts';
import { anonymousCaller, type Caller } from '../../platform/caller.ts';
import type { App } from '../app.ts';
import type { Authenticate } from './authenticate.ts';
import { bearerToken } from './bearer-token.ts';
import { requireScope } from './unauthorized.ts';

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';

/** Routes whose requests wait for a body, and whose caller is somebody. */
function needsAnotherLook({ method, config }: RouteOptions): boolean {
  if ([method].flat().every(isRead)) return false;
  return config?.auth !== 'public' || config.bearer === 'optional' || config.web === 'optional';
}

/**
 * Looks at the caller once more when the body is there: a body takes as long as its sender likes, and what was true of the
 * token when the headers came may have ended since. Only on routes that take a body, so that it costs reads nothing.
 */
export function admitAgain(app: App, { bus }: Database, authenticate: Authenticate): void {
  const again: preValidationHookHandler = (request, reply, done) => {
    // An optional token or session that was not sent.
    if (request.caller === anonymousCaller) return done();
    bus.endSnapshot();
    const { auth, web, scope } = request.route.config;
    /** False where the answer has been given: the way to the login page. */
    const admit = (caller: Caller | undefined): boolean => {
      if (caller === undefined) return false;
      request.caller = caller;
      requireScope(caller, scope);
      return true;
    };
    try {
      const caller =
        auth === 'auth:web' || web === 'optional'
          ? authenticate.web(request, reply)
          : authenticate.bearer(bearerToken(request), request);
      if (caller instanceof Promise) caller.then(admit).then((admitted) => admitted && done(), done);
      else if (admit(caller)) done();
    } catch (error) {
      done(error as Error);
    }
  };

  app.addHook('onRoute', (route) => {
    if (needsAnotherLook(route)) route.preValidation = [again, ...[route.preValidation ?? []].flat()];
  });
}
