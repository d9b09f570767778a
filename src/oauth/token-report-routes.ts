import { Type } from 'typebox';
import { commitAndInvalidate } from '../database/bus.ts';
import type { Tx } from '../database/database.ts';
import type { App } from '../http/app.ts';
import { noValidation } from '../http/no-validation.ts';
import { type RequestSource, requestSource } from '../http/request-source.ts';
import { notifyOwner } from '../identity/account-mails/request-mail.ts';
import { networkLimits, requireWithinLimits } from '../identity/throttle/throttle.ts';
import { unprocessable } from '../platform/errors.ts';
import { asObject } from '../platform/is-object.ts';
import { hashShortToken, shortTokenKind } from '../platform/short-token.ts';
import { recordEvent } from '../resources/audit/record-event.ts';
import { deleteSecretByHash } from './clients/secrets/secret-store.ts';
import type { OAuth } from './oauth.ts';
import { endSessions } from './sessions/end-sessions.ts';

const maxReports = 100;

/** For secret scanners, and for people who find a token: docs/secret-scanning.md. */
export function serveTokenReports(app: App, oauth: OAuth): void {
  app.post(
    '/v1/token-reports',
    {
      ...noValidation,
      config: { auth: 'public' },
      schema: {
        tags: ['tokens'],
        summary: 'Report a leaked token: Gatehouse revokes it and notifies its owner',
        description:
          'Accepts personal access tokens, client secrets, registration tokens, access tokens and refresh tokens.',
        body: Type.Object({ token: Type.String() }, { additionalProperties: false }),
        response: { 202: Type.Object({ message: Type.String() }) },
      },
    },
    async (request, reply) => {
      const { token } = asObject(request.body);
      if (token === undefined || token === null || token === '') {
        throw unprocessable([{ field: 'token', code: 'required', message: 'token is required.' }]);
      }
      if (typeof token !== 'string') {
        throw unprocessable([{ field: 'token', code: 'type', message: 'token must be text.' }]);
      }
      const source = requestSource(request);
      const limits = networkLimits('token-report', source.address, maxReports);
      await requireWithinLimits(oauth.context, limits, 'Too many reports. Wait before you send more.');
      await reportToken(oauth, { token, source });
      return reply.code(202).send({ message: 'Thank you. If this is a token of this service, it is revoked.' });
    },
  );
}

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
