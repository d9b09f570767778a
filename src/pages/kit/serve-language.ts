import { tokenOf } from '../session/authenticate-web.ts';
import { callApi } from '../session/call-api.ts';
import { localPath } from '../session/local-path.ts';
import type { PageKit, Visit } from './visit.ts';

/** Stores the chosen language in a cookie, and in the account of the signed-in user. */
export function serveLanguage(kit: PageKit): void {
  kit.formWithoutCsrf('/language', async (visit) => {
    const { language, next } = visit.form('language', 'next');
    await chooseLanguage(visit, language);
    return visit.redirect(localPath(next) ?? '/');
  });
}

async function chooseLanguage(visit: Visit, asked: string): Promise<void> {
  const language = visit.kit.languages.list.find((tag) => tag === asked);
  visit.kit.cookies.setLanguage(visit.reply, language);
  const caller = await visit.findCaller();
  if (caller?.kind !== 'user') return;
  const body = { locale: language ?? null };
  await callApi(visit.request, { method: 'PATCH', path: '/v1/users/me', token: tokenOf(visit.request), body });
}
