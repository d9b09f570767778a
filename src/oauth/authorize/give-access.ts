import { changeAs } from '../../database/change-as.ts';
import type { Tx } from '../../database/database.ts';
import { recordEvent } from '../../events/record-event.ts';
import type { RequestSource } from '../../http/request-source.ts';
import type { OAuth } from '../oauth.ts';
import { issueCode } from './authorization-codes.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import { holdConsent, putConsent } from './consent-store.ts';
import type { Login } from './login.ts';

interface Giving {
  readonly request: AuthorizationRequest;
  readonly login: Login;
  readonly scopes: readonly string[];
  /** What the person was asked just now; undefined where they were asked before, or need not be. */
  readonly asked?: readonly string[];
  readonly source: RequestSource;
}

/** A code for the application, and the consent that it rests on, in a transaction that holds the person's login. */
export async function giveAccess(oauth: OAuth, giving: Giving): Promise<string> {
  const { context, keys, holdAuthority } = oauth;
  const { request, login, scopes } = giving;
  await keys.fresh();
  return changeAs(context.database, holdAuthority, { caller: login.caller }, async (tx) => {
    if (giving.asked) await remember(oauth, tx, { ...giving, asked: giving.asked });
    return issueCode(context, keys, tx, request, { userId: login.userId, loginId: login.session.id, scopes });
  });
}

/** What was not asked this time stays as it was answered before. */
async function remember(
  { context }: OAuth,
  tx: Tx,
  { request, login, scopes, asked, source }: Giving & { readonly asked: readonly string[] },
): Promise<void> {
  const parties = { userId: login.userId, clientId: request.client.id };
  const before = await holdConsent(tx, context.database.engine, parties);
  const kept = before?.scopes.filter((scope) => !asked.includes(scope)) ?? [];
  const consent = { scopes: [...kept, ...scopes], asked: [...new Set([...(before?.asked ?? []), ...asked])] };
  await putConsent(tx, parties, consent, context.now());
  const data = { scopes, left_out: asked.filter((scope) => !scopes.includes(scope)) };
  await recordEvent(context, tx, { type: 'consent.given', ...parties, sessionId: login.session.id, source, data });
}
