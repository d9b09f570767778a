import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App } from './app.ts';

/** The members of a Fastify instance that the plugin uses. The host may have another version of Fastify. */
export interface Host {
  readonly supportedMethods: string[];
  hasRoute(route: { method: string; url: string }): boolean;
  addHook(name: 'onClose', hook: () => Promise<void>): unknown;
  route(options: {
    method: string[];
    url: string;
    onRequest(request: { raw: IncomingMessage }, reply: { raw: ServerResponse; hijack(): unknown }): Promise<void>;
    handler(request: unknown, reply: unknown): unknown;
  }): unknown;
}

/** RFC 8414 3.1 and RFC 9728 3.1: these documents are at the root of the host, with the path of the service at the end. */
const rootDocuments = ['oauth-authorization-server', 'openid-configuration', 'oauth-protected-resource'];

/**
 * Serves requests that match no route of the host, below `prefix`, and the metadata of `prefix` at the root. The host's
 * hooks after `onRequest` do not run.
 */
export function mountApp(host: Host, app: App, prefix: string): void {
  const documents = rootDocuments
    .flatMap((name) => [`/.well-known/${name}${prefix}`, `/.well-known/${name}${prefix}/*`])
    .filter((url) => !host.hasRoute({ method: 'GET', url }));
  const paths = prefix === '' ? ['/*'] : [prefix, `${prefix}/*`, ...documents];
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
  if (url.startsWith('/.well-known/')) return url;
  const path = url.slice(prefix.length);
  return path.startsWith('/') ? path : `/${path}`;
}
