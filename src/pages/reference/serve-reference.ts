import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../http/app.ts';
import { CompressedContent } from '../../http/compressed-content.ts';
import { addVary, privateCache } from '../../http/gate/caching.ts';
import { openApiDocument } from '../../http/openapi/openapi.ts';
import { paramsOf } from '../../http/query-of.ts';
import { findUser } from '../../identity/accounts/user-store.ts';
import { BoundedMap } from '../../platform/bounded-map.ts';
import { forbidden, notFound } from '../../platform/errors.ts';
import type { PageKit } from '../kit/page-request.ts';
import { themeVariables } from '../kit/theme.ts';
import { cookieTokenOf } from '../session/authenticate-web.ts';
import { mayBeOwnPage } from '../session/page-origin.ts';
import { secondsLeft } from '../session/seconds-left.ts';
import { type ReferenceDocument, readDocument } from './reference-document.ts';
import {
  changelogPage,
  changelogSlug,
  overviewPage,
  type PageFrame,
  readApiChanges,
  sectionPage,
} from './reference-html.ts';

const open = { config: { auth: 'public', limited: false, errors: 'page' }, schema: { hide: true } } as const;
/** More than the number of sections and themes. An unknown section gets a 404 before anything is cached. */
const keptPages = 500;

/** `/docs`: the API reference, made from the OpenAPI document. Each part of the API has a page. */
export function serveReference(app: App, kit: PageKit): void {
  const pages = new BoundedMap<string, CompressedContent>(keptPages);
  let described: ReferenceDocument | undefined;

  async function show(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    described ??= readDocument(await openApiDocument(app, kit.config));
    const { section: slug } = paramsOf(request);
    const themed = themeVariables(kit.cookies, request);
    const key = `${themed.chosen_theme} ${slug ?? ''}`;
    let page = pages.get(key);
    if (!page) {
      const created = pageOf(described, slug, { ...kit, ...themed });
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

function pageOf(described: ReferenceDocument, slug: string | undefined, frame: PageFrame): string {
  if (slug === undefined) return overviewPage(described, frame);
  const section = described.sections.find((one) => one.slug === slug);
  if (section) return sectionPage(described, section, frame);
  if (slug === changelogSlug) return changelogPage(described, readApiChanges(), frame);
  throw notFound();
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
