import type { FastifyReply, FastifyRequest } from 'fastify';
import { tokenOf } from '../session/authenticate-web.ts';
import { localPath } from '../session/local-path.ts';
import { callOwnApi } from '../session/own-api.ts';
import { type PageKit, readForm } from './page-kit.ts';

/** A language is chosen for this browser, by a cookie, and for the account of the signed-in user. */
export function serveLanguage(kit: PageKit): void {
  kit.looseForm('/language', async (request, reply) => {
    const { language, next } = readForm(request, 'language', 'next');
    await chooseLanguage(kit, request, reply, language);
    return kit.go(reply, localPath(next) ?? '/');
  });
}

async function chooseLanguage(
  kit: PageKit,
  request: FastifyRequest,
  reply: FastifyReply,
  asked: string,
): Promise<void> {
  const language = kit.languages.list.find((tag) => tag === asked);
  kit.cookies.setLanguage(reply, language);
  const caller = await kit.webSessions.find(request, reply);
  if (caller?.kind !== 'user') return;
  const body = { locale: language ?? null };
  await callOwnApi(request, { method: 'PATCH', path: '/v1/users/me', token: tokenOf(request), body });
}
