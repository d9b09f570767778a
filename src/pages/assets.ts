import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { App } from '../http/server.ts';

const files = [
  { name: 'pages.css', of: ['base.css', 'forms.css', 'lists.css', 'settings.css'], type: 'text/css; charset=utf-8' },
  { name: 'pages.js', of: ['pages.js'], type: 'text/javascript; charset=utf-8' },
  { name: 'icon.svg', of: ['icon.svg'], type: 'image/svg+xml' },
];

const open = { auth: 'public', limited: false, errors: 'page' } as const;

/** Addresses that change with the content, so that a browser may keep a file for good. */
export interface AssetUrls {
  readonly css: string;
  readonly js: string;
  readonly icon: string;
}

/** The pages' own stylesheet, script and icon, and whatever an operator puts into `VIEWS_DIR/assets`. */
export async function serveAssets(app: App, { viewsDir }: Config, root: string): Promise<AssetUrls> {
  const urls = files.map(({ name, of, type }) => {
    const content = of.map((file) => readFileSync(join(import.meta.dirname, 'assets', file), 'utf8')).join('\n');
    app.get(`/assets/${name}`, { config: open, schema: { hide: true } }, async (_request, reply) =>
      reply.type(type).header('cache-control', 'public, max-age=31536000, immutable').send(content),
    );
    return `${root}/assets/${name}?v=${hash('sha256', content, 'hex').slice(0, 12)}`;
  });
  const own = join(viewsDir, 'assets');
  if (existsSync(own)) await serveOwn(app, own);
  const [css, js, icon] = urls as [string, string, string];
  return { css, js, icon };
}

async function serveOwn(app: App, folder: string): Promise<void> {
  // Loaded only where there is something to serve: it is 8 MB of memory.
  const { default: fastifyStatic } = await import('@fastify/static');
  await app.register(async (scope) => {
    await scope.register(fastifyStatic, { serve: false });
    scope.get('/assets/own/*', { config: open, schema: { hide: true } }, (request, reply) =>
      reply.sendFile((request.params as { '*': string })['*'], folder, { maxAge: 300_000 }),
    );
  });
}
