import { commitAndInvalidate } from '../../src/database/bus.ts';
import type { Tx } from '../../src/database/database.ts';
import type { RequestSource } from '../../src/http/request-source.ts';
import { notifyOwner } from '../../src/identity/account-mails/request-mail.ts';
import { deleteSecretByHash } from '../../src/oauth/clients/secrets/secret-store.ts';
import { hashShortToken, shortTokenKind } from '../../src/oauth/clients/secrets/short-token.ts';
import type { OAuth } from '../../src/oauth/oauth.ts';
import { endSessions } from '../../src/oauth/sessions/end-sessions.ts';
import { recordEvent } from '../../src/resources/audit/record-event.ts';

interface Report {
  readonly token: string;
  readonly source: RequestSource;
}

/** Revokes a leaked token on every instance and notifies its owner. An unknown token gets the same response. */
export async function reportToken(oauth: OAuth, report: Report): Promise<void> {
  const kind = shortTokenKind(report.token);
  if (kind === 'sec') return endLeakedSecret(oauth, report);
  if (kind === 'reg') return oauth.registeredClients.reportToken(report);
  await oauth.keys.ensureCurrent();
  const reported = await oauth.verifier.findToken(report.token);
  if (!reported) return;
  const { id: sessionId, user_id: userId, client_id: clientId, type } = reported.session;
  await commitAndInvalidate(oauth.context.database, async (tx, invalidate) => {
    await endSessions(oauth.sessions, tx, invalidate, { sessionId }, 'reported');
    const credential = type === 'personal' ? 'a personal access token' : 'a session';
    await recordAndNotify(oauth, tx, report, { userId, clientId, sessionId }, credential);
  });
}

async function endLeakedSecret(oauth: OAuth, report: Report): Promise<void> {
  await commitAndInvalidate(oauth.context.database, async (tx, invalidate) => {
    const ended = await deleteSecretByHash(tx, hashShortToken(report.token));
    if (!ended) return;
    const { client_id: clientId, type, user_id: userId } = ended;
    invalidate({ kind: 'client', id: clientId });
    // The secret opened the sessions of a personal client. At an application, users opened the sessions, so these stay.
    if (type === 'personal') await endSessions(oauth.sessions, tx, invalidate, { clientId }, 'reported');
    await recordAndNotify(oauth, tx, report, { userId, clientId }, 'a secret of an application');
  });
}

async function recordAndNotify(
  { context, mail }: OAuth,
  tx: Tx,
  { source }: Report,
  ids: { readonly userId: string | null; readonly clientId: string | null; readonly sessionId?: string },
  credential: string,
): Promise<void> {
  const { userId } = ids;
  const data = { what: credential };
  await recordEvent(context, tx, { type: 'token.reported', ...ids, source, data });
  if (userId !== null) await notifyOwner({ context, mail }, tx, { userId, template: 'token-reported', data, source });
}
