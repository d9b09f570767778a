import type { FastifyContextConfig, FastifyRequest } from 'fastify';
import type { Durations, Metrics } from '../../platform/metrics.ts';
import { isApiPath } from './accept.ts';
import { type Audience, audienceOf } from './caching.ts';
import { type CorsPolicy, corsPolicyOf } from './cors.ts';

/** Facts about a route and a method that are known before any request. */
export interface RouteFacts {
  /** The declared path. Undefined if no route matched, or the route only forbids its method. */
  readonly pattern: string | undefined;
  readonly inApi: boolean;
  readonly config: FastifyContextConfig;
  readonly audience: Audience;
  readonly cors: CorsPolicy;
  /** The durations of its responses, for one status. */
  durations(status: number): Durations;
}

const factsByMethod = Symbol('facts by method');
type ConfigWithFacts = FastifyContextConfig & { [factsByMethod]?: Record<string, RouteFacts> };

/** Fastify builds a route's options at each access. This reads them once per request, and derives the rest once per route. */
export function createRouteFacts({ requestDuration }: Metrics): (request: FastifyRequest) => RouteFacts {
  const noConfig: FastifyContextConfig = {};

  function createFacts(method: string, config: FastifyContextConfig, pattern: string | undefined): RouteFacts {
    const byStatus = new Map<number, Durations>();
    const labels = { method, route: pattern ?? 'unknown' };
    const inApi = pattern !== undefined && isApiPath(pattern);
    return {
      pattern,
      inApi,
      config,
      audience: pattern === undefined ? 'everybody' : audienceOf(method, config, inApi),
      cors: pattern === undefined ? 'none' : corsPolicyOf(pattern, config),
      durations(status) {
        let durations = byStatus.get(status);
        if (!durations) {
          durations = requestDuration.series({ ...labels, status: String(status) });
          byStatus.set(status, durations);
        }
        return durations;
      },
    };
  }

  return (request) => {
    const { config = noConfig, url }: { config?: ConfigWithFacts; url?: string } = request.routeOptions;
    const { method } = request;
    config[factsByMethod] ??= {};
    const facts = config[factsByMethod];
    facts[method] ??= createFacts(method, config, config.methodNotAllowed ? undefined : url);
    return facts[method];
  };
}
