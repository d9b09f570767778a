import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join, resolve } from 'node:path';
import type { Brand, BrandColours } from '../../config/brand.ts';
import type { Config } from '../../config/config.ts';
import { extensionFolders } from '../../config/extension-folders.ts';
import type { App } from '../../http/app.ts';
import { CompressedContent } from '../../http/compressed-content.ts';
import { paramsOf } from '../../http/query-of.ts';

/** The browser library for passkeys, as one file. */
const webauthnBundle = join(
  dirname(createRequire(import.meta.url).resolve('@simplewebauthn/browser')),
  '../dist/bundle/index.umd.min.js',
);

export const contentTypes = new Map([
  ['.css', 'text/css; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
]);

const open = { auth: 'public', limited: false, errors: 'page' } as const;

const logoUrl = '/assets/logo';

/** The operator's colours come last, so they take precedence. */
function brandCss({ colours }: Brand): string {
  if (!colours) return '';
  const of = (c: BrandColours) =>
    `--accent: ${c.accent}; --accent-hover: ${c.accentHover}; --accent-soft: ${c.accentSoft}; --ring: ${c.accent}; ` +
    `--fill: ${c.fill}; --fill-hover: ${c.fillHover}; --on-accent: ${c.onFill};`;
  return `\n:root { ${of(colours.light)} }\n@media (prefers-color-scheme: dark) { :root { ${of(colours.dark)} } }\n`;
}

/** Styles for dark mode also apply if the user chose dark, and do not apply if the user chose light. */
const withChoice = (css: string): string =>
  css.replace(
    /@media \(prefers-color-scheme: dark\) \{\s*:root \{([^}]*)\}\s*\}/g,
    (_, colours: string) =>
      `@media (prefers-color-scheme: dark) { :root:not([data-theme="light"]) {${colours}} }\n:root[data-theme="dark"] {${colours}}`,
  );

/** The icon of Gatehouse in the operator's colour. */
const paintMark = (svg: string, { colours }: Brand): string =>
  colours ? svg.replace('#17614d', colours.light.fill).replace('#fff', colours.light.onFill) : svg;

/** Removes comments and indentation. */
const lighter = (css: string): string => css.replace(/\/\*.*?\*\//gs, '').replace(/^\s+/gm, '');

/** Returns the address of the logo. An SVG that is opened directly must not run scripts. */
function serveLogo(app: App, { logo }: Brand, root: string): string | undefined {
  if (!logo || 'url' in logo) return logo?.url;
  app.get(logoUrl, { config: open, schema: { hide: true } }, async (_request, reply) =>
    reply
      .type(logo.type)
      .header('cache-control', 'public, max-age=31536000, immutable')
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
      .send(logo.content),
  );
  return `${root}${logoUrl}?v=${hash('sha256', logo.content, 'hex').slice(0, 12)}`;
}

/**
 * Serves some files as one file `/assets/…`. The files are in `pages/assets`, or have absolute paths. Returns a function that returns the
 * address, which changes with the content, so browsers may cache the file forever. The files are read when they are first needed.
 */
export type ServeAsset = (name: string, files: readonly string[]) => () => string;

export const createServeAsset =
  (app: App, brand: Brand, root: string): ServeAsset =>
  (name, files) => {
    let asset: { readonly content: CompressedContent; readonly address: string } | undefined;
    const readAsset = () => {
      const source = files
        .map((file) => readFileSync(resolve(import.meta.dirname, '../assets', file), 'utf8'))
        .join('\n');
      const text = name.endsWith('.css') ? lighter(withChoice(source + brandCss(brand))) : paintMark(source, brand);
      const content = new CompressedContent(contentTypes.get(extname(name)) as string, text);
      return { content, address: `${root}/assets/${name}?v=${hash('sha256', text, 'hex').slice(0, 12)}` };
    };
    const getAsset = () => (asset ??= readAsset());
    app.get(`/assets/${name}`, { config: open, schema: { hide: true } }, async (request, reply) =>
      getAsset().content.send(request, reply.header('cache-control', 'public, max-age=31536000, immutable')),
    );
    return () => getAsset().address;
  };

/** Serves the assets of the pages, and the operator's files in `VIEWS_DIR/assets`. Returns their addresses. */
export async function serveAssets(app: App, { viewsDir }: Config, serveAsset: ServeAsset, brand: Brand, root: string) {
  const css = serveAsset('pages.css', [
    'base.css',
    'forms.css',
    'sign-in.css',
    'choices.css',
    ...ofExtensions('styles'),
  ])();
  const js = serveAsset('pages.js', ['pages.js', ...ofExtensions('scripts')])();
  const passkeys = serveAsset('passkeys.js', [webauthnBundle, 'passkeys.js'])();
  const icon = serveAsset('icon.svg', ['icon.svg'])();
  const operatorFolder = join(viewsDir, 'assets');
  if (existsSync(operatorFolder)) await serveOperatorAssets(app, operatorFolder);
  const logo = serveLogo(app, brand, root);
  return { css, js, passkeys, icon: logo ?? icon, logo: logo ?? icon };
}

/** The files of all extensions in folders with this name. */
const ofExtensions = (folderName: string): string[] =>
  extensionFolders(folderName).flatMap((folder) =>
    readdirSync(folder)
      .sort()
      .map((file) => join(folder, file)),
  );

async function serveOperatorAssets(app: App, folder: string): Promise<void> {
  // Loaded only if there are files to serve, to save memory.
  const { default: fastifyStatic } = await import('@fastify/static');
  await app.register(async (scope) => {
    await scope.register(fastifyStatic, { serve: false });
    scope.get('/assets/own/*', { config: open, schema: { hide: true } }, (request, reply) =>
      reply.sendFile(paramsOf(request)['*'] ?? '', folder, { maxAge: 300_000 }),
    );
  });
}
