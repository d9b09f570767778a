import { internalTokenOf } from '../session/authenticate-web.ts';
import { callApi } from '../session/call-api.ts';
import { localPath } from '../session/local-path.ts';
import type { PageKit, PageRequest } from './page-request.ts';

/** Stores the chosen language in a cookie, and in the account of the signed-in user. */
export function serveLanguage(kit: PageKit): void {
  kit.formWithoutCsrf('/language', async (pageRequest) => {
    const { language, next } = pageRequest.form('language', 'next');
    await chooseLanguage(pageRequest, language);
    return pageRequest.redirect(localPath(next) ?? '/');
  });
}

async function chooseLanguage(pageRequest: PageRequest, requested: string): Promise<void> {
  const language = pageRequest.kit.languages.list.find((tag) => tag === requested);
  pageRequest.kit.cookies.setLanguage(pageRequest.reply, language);
  const caller = await pageRequest.findCaller();
  if (caller?.kind !== 'user') return;
  const body = { locale: language ?? null };
  await callApi(pageRequest.request, {
    method: 'PATCH',
    path: '/v1/users/me',
    token: internalTokenOf(pageRequest.request),
    body,
  });
}
