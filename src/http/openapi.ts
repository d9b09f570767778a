import swagger from '@fastify/swagger';
import type { Config } from '../config.ts';
import type { App } from './server.ts';

/** Collects the OpenAPI document from the schemas of the routes that are registered after it. */
export async function describeApi(app: App, config: Config): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Gatehouse',
        version: '1',
        description: 'OAuth 2.0 server and REST API.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: config.baseUrl }],
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
    },
  });
}

/** `/openapi.json`, made once, when first asked for. */
export function serveOpenApi(app: App): void {
  let document: string | undefined;
  app.get(
    '/openapi.json',
    { config: { auth: 'public', limited: false }, schema: { hide: true } },
    async (_request, reply) => {
      document ??= JSON.stringify(app.swagger());
      return reply.type('application/json; charset=utf-8').send(document);
    },
  );
}
