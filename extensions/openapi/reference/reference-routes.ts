import { join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../../src/http/app.ts';
import { CompressedContent } from '../../../src/http/compressed-content.ts';
import { addVary, privateCache } from '../../../src/http/gate/caching.ts';
import { paramsOf } from '../../../src/http/query-of.ts';
import { findUser } from '../../../src/identity/accounts/user-store.ts';
import type { PageKit } from '../../../src/pages/kit/page-request.ts';
import { themeVariables } from '../../../src/pages/kit/theme.ts';
import { cookieTokenOf, secondsLeft } from '../../../src/pages/session/authenticate-web.ts';
import { mayBeOwnPage } from '../../../src/pages/session/csrf.ts';
import { BoundedMap } from '../../../src/platform/bounded-map.ts';
import { forbidden } from '../../../src/platform/errors.ts';
import { lazy } from '../../../src/platform/lazy.ts';

const open = { config: { auth: 'public', limited: false, errors: 'page' }, schema: { hide: true } } as const;
/** More than the number of sections and themes. An unknown section gets a 404 before anything is cached. */
const keptPages = 500;

/** `/docs`: the API reference, made from the OpenAPI document. Each part of the API has a page. */
export function serveReference(app: App, kit: PageKit, loadDocument: () => Promise<object>): void {
  const pages = new BoundedMap<string, CompressedContent>(keptPages);
  const file = (name: string): string => join(import.meta.dirname, 'assets', name);
  const styles = ['base.css', 'forms.css', 'sign-in.css', file('reference.css'), file('reference-operation.css')];
  const cssAddress = kit.serveAsset('reference.css', styles);
  const jsAddress = kit.serveAsset('reference.js', [file('reference-examples.js'), file('reference.js')]);
  const loadWriter = lazy(async () => {
    const { createReference } = await import('./create-reference.ts');
    return createReference(await loadDocument());
  });

  async function show(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { section: slug } = paramsOf(request);
    const themed = themeVariables(kit.cookies, request);
    const key = `${themed.chosen_theme} ${slug ?? ''}`;
    let page = pages.get(key);
    if (!page) {
      const writePage = await loadWriter();
      const created = writePage(slug, { ...kit, ...themed, referenceCss: cssAddress(), referenceJs: jsAddress() });
      page = new CompressedContent('text/html; charset=utf-8', created);
      pages.set(key, page);
    }
    addVary(reply, 'cookie').header('content-security-policy', kit.policy).header('cache-control', privateCache);
    return page.send(request, reply);
  }

  app.get('/docs', open, show);
  app.get('/docs/:section', open, show);
  // Like the console, the page calls the API with the token of the reader's session.
  const config = { auth: 'public', web: 'optional' } as const;
  app.post('/docs/token', { config, schema: { hide: true } }, (request, reply) => sendToken(kit, request, reply));
}

async function sendToken(kit: PageKit, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  if (!mayBeOwnPage(request, kit.config)) {
    throw forbidden('Only the API reference itself may ask for its token.', 'foreign_origin');
  }
  reply.header('cache-control', 'no-store');
  const { userId } = request.caller;
  const user = userId === null ? undefined : await findUser(kit.database.db, userId);
  if (!user) return reply.code(204).send();
  const token = cookieTokenOf(request);
  const name = user.name || user.email || user.username || user.phone;
  return reply.send({ access_token: token, expires_in: secondsLeft(token, kit.now()), name });
}
