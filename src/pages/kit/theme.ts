import type { FastifyRequest } from 'fastify';
import { message } from '../../config/languages/message.ts';
import { queryOf } from '../../http/query-of.ts';
import { withoutQuery } from '../../http/without-query.ts';
import { asObject } from '../../platform/is-object.ts';
import { pagePathOf } from '../session/authenticate-web.ts';
import type { Cookies } from '../session/cookies.ts';
import { localPath, nextQuery } from '../session/local-path.ts';
import type { PageKit, PageRequest } from './page-request.ts';

const themes = [
  { name: 'system', label: message('theme.system') },
  { name: 'light', label: message('theme.light') },
  { name: 'dark', label: message('theme.dark') },
] as const;

/** The themes that a reader can choose. Any other name means the system's theme. */
const isTheme = (name: string | undefined): name is 'light' | 'dark' => name === 'light' || name === 'dark';

/** The address of the page that is shown. Many forms are sent to the address of their page. */
function addressOf(request: FastifyRequest): string {
  const { server, url, routeOptions } = request;
  const isPage = routeOptions.url !== undefined && server.hasRoute({ method: 'GET', url: routeOptions.url });
  return localPath(isPage ? url : pagePathOf(request)) ?? '/';
}

/** The path of the page that is shown, without its query. */
export const currentPath = (request: FastifyRequest): string => withoutQuery(addressOf(request));

/** The path of the current page, to come back to, without a `next` that leads elsewhere. A rejected form keeps its `next`. */
function returnPathOf(request: FastifyRequest): string {
  const page = addressOf(request);
  if (request.method === 'POST') {
    const next = localPath(asObject(request.body).next);
    return page === '/' && next !== undefined ? next : withoutQuery(page) + nextQuery(next);
  }
  const { next } = queryOf(request);
  return next === undefined || localPath(next) !== undefined ? page : currentPath(request);
}

/** The theme variables of layouts. The theme is in the first bytes of a page, so that the page does not flash in another theme. */
export function themeVariables(cookies: Cookies, request: FastifyRequest) {
  const { theme } = cookies.read(request);
  const chosen = isTheme(theme) ? theme : undefined;
  return { themes, theme: chosen, chosen_theme: chosen ?? 'system', here: returnPathOf(request) };
}

/** Light, dark, or the theme of the system. Stored in a cookie of this browser. */
export function serveTheme(kit: PageKit): void {
  kit.formWithoutCsrf('/theme', async (pageRequest) => {
    const { theme, next } = pageRequest.form('theme', 'next');
    kit.cookies.setTheme(pageRequest.reply, isTheme(theme) ? theme : undefined);
    return pageRequest.redirect(localPath(next) ?? '/');
  });
}

/** Stores the chosen language in a cookie, and in the account of the signed-in user. */
export function serveLanguage(kit: PageKit): void {
  kit.formWithoutCsrf('/language', async (pageRequest) => {
    const { language, next } = pageRequest.form('language', 'next');
    await chooseLanguage(pageRequest, language);
    return pageRequest.redirect(localPath(next) ?? '/');
  });
}

async function chooseLanguage(pageRequest: PageRequest, requested: string): Promise<void> {
  const { kit, request, reply } = pageRequest;
  const language = kit.languages.list.find((tag) => tag === requested);
  const caller = await pageRequest.findCaller();
  // A public page does not know the session, so its form names none.
  if (caller) kit.checkForm(request, [caller.sessionId, null]);
  kit.cookies.setLanguage(reply, language);
  if (caller?.kind !== 'user') return;
  await pageRequest.callAsUser('PATCH', '/v1/users/me', { locale: language ?? null });
}
