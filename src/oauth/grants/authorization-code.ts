import { hash } from 'node:crypto';
import { commitAndInvalidate, type Invalidate } from '../../database/bus.ts';
import type { Tx } from '../../database/database.ts';
import { requireConfirmedEmail } from '../../identity/credentials/require-confirmed-email.ts';
import { OAuthError } from '../../platform/errors.ts';
import { parseJson } from '../../platform/json-text.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import { readCode } from '../authorize/authorization-codes.ts';
import { narrowDetails } from '../authorize/authorization-details.ts';
import { type CodeRow, consumeCode, findCode, setSessionOfCode } from '../authorize/code-store.ts';
import { type Consent, lockConsent } from '../authorize/consent-store.ts';
import { hasAllowed } from '../authorize/remember-consent.ts';
import { isInRealmOfClient, isRefreshable } from '../clients/client-rules.ts';
import type { StoredClient } from '../clients/client-store.ts';
import { adminScope, allowsScope } from '../clients/scopes/scopes.ts';
import { requireCredentials } from '../clients/secrets/client-secrets.ts';
import type { Grant, GrantRequest, OAuth } from '../oauth.ts';
import { allowedClaims } from '../openid/claims.ts';
import { required, resourcesIn } from '../parameters.ts';
import { type AuthorityRows, lockAuthorityRows } from '../sessions/authority/authority-store.ts';
import { endSessions } from '../sessions/end-sessions.ts';
import { type GrantDetails, readDetails } from '../sessions/store/grant-details.ts';
import { authenticationOf, findSession, type SessionRow } from '../sessions/store/session-store.ts';

/** RFC 6749 4.1 with RFC 7636: a user has consented in the browser, and the application proves that the request was its own. */
export const authorizationCodeGrant: Grant = {
  type: 'authorization_code',
  clientTypes: ['application'],
  /** RFC 6749 4.1.3. A code works once. A second use ends the session that the first use opened (4.1.2). */
  async issue(oauth, request) {
    const { context, keys } = oauth;
    const { config, database, metrics } = context;
    const value = required(request.parameters, 'code');
    required(request.parameters, 'redirect_uri');
    const id = readCode(keys, value);
    const code = id === undefined ? undefined : await findCode(database.db, id);
    if (!code) throw countAndRefuse(oauth, 'unknown', 'no code of this service');
    if (code.client_id === request.client.id) await requireConfirmedEmail(config, database.db, code.user_id);
    const login = await findSession(database, code.login_id);
    // Commit, then throw: an error inside the transaction would undo the revocation.
    const result = await commitAndInvalidate(database, (tx, invalidate) =>
      redeem(oauth, tx, invalidate, { ...request, code, login }),
    );
    if (typeof result === 'string') throw countAndRefuse(oauth, result === 'reused' ? 'reused' : 'refused', result);
    metrics.authorizationCodes.inc({ result: 'redeemed' });
    request.countRequest?.(result.session.id);
    return { ...result, requestedScopes: parseJson(code.asked), nonce: code.nonce ?? undefined };
  },
};

interface Redemption extends GrantRequest {
  readonly code: CodeRow;
  readonly login: SessionRow | undefined;
}

function countAndRefuse({ context }: OAuth, result: string, reason: string): OAuthError {
  context.metrics.authorizationCodes.inc({ result });
  const description = 'The code is invalid or no longer valid for this application: sign in again.';
  return new OAuthError('invalid_grant', description, { reason });
}

/** Locks rows in the usual order: user, client, login, consent, code. Returns the tokens' session or the reason for a refusal. */
async function redeem(oauth: OAuth, tx: Tx, invalidate: Invalidate, redemption: Redemption) {
  const { context, sessions, audiences } = oauth;
  const { client, code, login, source } = redemption;
  const { engine } = context.database;
  const parties = { userId: code.user_id, clientId: code.client_id };
  const ids = { kind: 'user' as const, ...parties, sessionId: code.login_id };
  const rows = await lockAuthorityRows(tx, engine, ids, 'share');
  const consent = await lockConsent(tx, parties);
  if (!(await consumeCode(tx, code.id, context.now()))) return endReused(oauth, tx, invalidate, redemption);
  const problem = codeError(redemption, rows, context.now());
  if (problem) return problem;
  if (!(await isInRealmOfClient(tx, client, code.user_id))) return 'the user is in another realm';
  await requireCredentials(context, tx, client);
  // RFC 8707 and RFC 9396 6.1: a subset of the audiences and details of the code. An error does not use up the code.
  audiences.narrow(code.resource, resourcesIn(redemption.parameters));
  narrowDetails(readDetails(code.details).authorizationDetails, redemption.requestedDetails);
  const isAllowed = limitScopes(client, rows, consent);
  const scopes = parseJson(code.scopes).filter(isAllowed);
  if (scopes.length === 0) return 'no scope of the code is allowed any more';
  const opened = sessions.open(tx, {
    ...parties,
    scopes,
    login: { id: code.login_id },
    authentication: login ? authenticationOf(login) : null,
    resource: parseJson(code.resource ?? '[]'),
    details: { ...limitDetails(readDetails(code.details), isAllowed), jkt: redemption.jkt },
    refreshable: isRefreshable(client, scopes),
    source,
  });
  await opened.durable;
  await setSessionOfCode(tx, code.id, opened.session.id);
  const data = { grant: 'authorization_code', scopes };
  await recordEvent(context, tx, { type: 'login.succeeded', ...parties, sessionId: opened.session.id, source, data });
  return { ...opened, scopes };
}

function codeError({ client, code, parameters, jkt }: Redemption, { user, session }: AuthorityRows, now: number) {
  if (code.client_id !== client.id) return 'code of another client';
  if (code.expires_at <= now) return 'code has expired';
  if (code.redirect_uri !== parameters.get('redirect_uri'))
    return 'redirect_uri differs from the authorization request';
  const { jkt: boundJkt } = readDetails(code.details);
  if (boundJkt !== undefined && boundJkt !== jkt) return 'the DPoP key differs from the key of the code';
  if (!isVerified(parameters.get('code_verifier'), code.code_challenge)) return 'wrong code_verifier';
  if (!user || user.disabled) return 'the user is gone or disabled';
  if (!session || session.revoked_at !== null || session.expires_at <= now) return 'the login has ended';
  return undefined;
}

/** RFC 7636 4.1 and 4.6. RFC 9700 4.8.2: a verifier without a challenge shows that an attacker removed the challenge. */
const isVerified = (verifier: string | undefined, challenge: string | null): boolean =>
  challenge === null ? verifier === undefined : verifier !== undefined && isVerifier(verifier, challenge);

const isVerifier = (verifier: string, challenge: string): boolean =>
  /^[\w.~-]{43,128}$/.test(verifier) && hash('sha256', verifier, 'base64url') === challenge;

/** Limits scopes by the current registration and consent. `admin` is never stored: the user granted it with this code. */
function limitScopes({ trusted }: StoredClient, { client }: AuthorityRows, consent: Consent | undefined) {
  const registered = client ? parseJson(client.scopes) : [];
  const isConsented = (scope: string) =>
    trusted || (consent !== undefined && (scope === adminScope || hasAllowed(consent, scope)));
  return (scope: string) => client !== undefined && allowsScope(registered, scope) && isConsented(scope);
}

const limitDetails = (details: GrantDetails, isAllowed: (scope: string) => boolean): GrantDetails => ({
  ...details,
  claims: allowedClaims(details.claims, isAllowed),
});

async function endReused(
  { context, sessions }: OAuth,
  tx: Tx,
  invalidate: Invalidate,
  { client, code, source }: Redemption,
): Promise<string> {
  const sessionId = (await findCode(tx, code.id))?.session_id ?? null;
  const ended =
    sessionId === null ? 0 : await endSessions(sessions, tx, invalidate, { sessionId }, 'authorization_code_reused');
  if (ended > 0) {
    const data = client.id === code.client_id ? {} : { by: client.id };
    const { user_id: userId, client_id: clientId } = code;
    await recordEvent(context, tx, { type: 'authorization_code.reused', userId, clientId, sessionId, source, data });
  }
  return 'reused';
}
