import type { FastifyInstance } from 'fastify';
import type { App } from './app.ts';

export type Host = FastifyInstance;

/** Serves requests that match no route of the host, below `prefix`. The host's hooks after `onRequest` do not run. */
export function mountApp(host: FastifyInstance, app: App, prefix: string): void {
  const paths = prefix === '' ? ['/*'] : [prefix, `${prefix}/*`];
  for (const url of paths) {
    host.route({
      method: host.supportedMethods,
      url,
      onRequest: async (request, reply) => {
        reply.hijack();
        request.raw.url = withoutPrefix(request.raw.url ?? '/', prefix);
        app.routing(request.raw, reply.raw);
      },
      // Never called, but Fastify requires a handler.
      handler: (_request, reply) => reply,
    });
  }
}

function withoutPrefix(url: string, prefix: string): string {
  const rest = url.slice(prefix.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}
