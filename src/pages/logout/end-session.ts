import type { FastifyReply, FastifyRequest } from 'fastify';
import { providerOfSession } from '../../identity/providers/identity-store.ts';
import type { Providers } from '../../identity/providers/providers.ts';
import type { PageKit } from '../kit/page-kit.ts';
import { tokenOf } from '../session/authenticate-web.ts';
import { callOwnApi } from '../session/own-api.ts';

/** Where a browser ends its session at a provider too. */
export interface UpstreamLogout {
  readonly label: string;
  readonly url: URL;
}

export const signedOutPath = ({ loginPath }: PageKit): string => `${loginPath}?done=signed-out`;

/** Ends the session on every instance. Returns where to go on, if its provider declares `logout: true`. */
export async function endSession(
  kit: PageKit,
  providers: Providers,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<UpstreamLogout | undefined> {
  const name = await providerOfSession(kit.database.db, request.caller.sessionId ?? '');
  const provider = name === undefined ? undefined : await providers.find(name);
  await callOwnApi(request, { method: 'DELETE', path: '/v1/logout', token: tokenOf(request) });
  kit.cookies.clearSession(reply);
  const url = await provider?.logoutUrl(kit.config.baseUrl + signedOutPath(kit)).catch(() => undefined);
  return provider && url && { label: provider.button.label, url };
}
