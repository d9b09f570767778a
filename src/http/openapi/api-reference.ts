import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { App } from '../app.ts';

const ours = (name: string) => readFileSync(new URL(`./api-reference/${name}`, import.meta.url));

/** The build has put a copy beside our own files; the sources find the library among the packages. */
function theirs(name: string): Buffer {
  if (import.meta.url.endsWith('.js')) return ours(name);
  const library = createRequire(import.meta.url).resolve('swagger-ui-dist/package.json');
  return readFileSync(join(dirname(library), name));
}

/** Everything from this service alone: no other host, no inline script or style. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const open = { config: { auth: 'public', limited: false }, schema: { hide: true } } as const;

/** `/docs`: the API reference, drawn in the browser from `/openapi.json`. */
export function serveApiReference(app: App, brand: string): void {
  const name = brand.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const page = ours('page.html')
    .toString()
    .replaceAll('{{brand}}', () => name);
  // Links are relative, so that they hold behind a proxy that puts the service under a path of its own.
  const pageAt = (root: string) => page.replaceAll('{{root}}', root);
  const [without, withSlash] = [pageAt(''), pageAt('../')];
  app.get('/docs', open, async ({ url }, reply) =>
    reply
      .header('content-security-policy', contentSecurityPolicy)
      .type('text/html; charset=utf-8')
      .send(url.split('?', 1)[0]?.endsWith('/') ? withSlash : without),
  );
  const files: [name: string, type: string, read: (name: string) => Buffer][] = [
    ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8', theirs],
    ['swagger-ui.css', 'text/css; charset=utf-8', theirs],
    ['start.js', 'text/javascript; charset=utf-8', ours],
    ['style.css', 'text/css; charset=utf-8', ours],
  ];
  for (const [name, type, read] of files) {
    // Read when first asked for: most services never are.
    let content: Buffer | undefined;
    app.get(`/docs/${name}`, open, async (_request, reply) => {
      content ??= read(name);
      return reply.header('cache-control', 'no-cache').type(type).send(content);
    });
  }
}
