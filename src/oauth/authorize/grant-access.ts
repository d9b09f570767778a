import { changeAs } from '../../database/change-as.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { OAuthError } from '../../platform/errors.ts';
import { requireRealm } from '../clients/client-rules.ts';
import type { OAuth } from '../oauth.ts';
import { allowedClaims } from '../openid/claims.ts';
import { consumePushedRequest } from '../proofs/used-proof-store.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import { issueCode } from './code-store.ts';
import { rememberConsent } from './consent-store.ts';
import type { BrowserLogin } from './next-step.ts';

interface AccessGrant {
  readonly request: AuthorizationRequest;
  readonly login: BrowserLogin;
  /** The granted scopes, including the scopes of the requested claims. */
  readonly scopes: readonly string[];
  /** The scopes of the consent page that was just shown. Undefined if none was shown. */
  readonly shownScopes?: readonly string[];
  readonly source: RequestSource;
}

/** Issues a code and stores the consent, in a transaction that locks the user's login. */
export async function grantAccess(oauth: OAuth, grant: AccessGrant): Promise<string> {
  const { context, keys, lockAuthority } = oauth;
  const { request, login, scopes } = grant;
  await keys.ensureCurrent();
  await requireRealm(context.database.db, request.client, login.userId, 'access_denied');
  // Concurrent decisions of one user run one after the other, so that neither overwrites the scopes of the other.
  const authority = { caller: login.caller, changesAccounts: grant.shownScopes !== undefined };
  return changeAs(context.database, lockAuthority, authority, async (tx) => {
    if (grant.shownScopes) {
      const { shownScopes, source } = grant;
      const parties = { userId: login.userId, clientId: request.client.id, sessionId: login.session.id };
      await rememberConsent(context, tx, { ...parties, scopes, requestedScopes: shownScopes, source });
    }
    if (request.pushedId !== undefined && !(await consumePushedRequest(tx, request.pushedId))) {
      throw new OAuthError('invalid_request', 'The pushed request was already used.');
    }
    // A claim requested by name needs consent to its scope. It does not add the scope.
    const claims = allowedClaims(request.claims, (scope) => scopes.includes(scope));
    return issueCode(context, keys, tx, request, {
      userId: login.userId,
      loginId: login.session.id,
      scopes: scopes.filter((scope) => request.scopes.includes(scope)),
      details: { claims, jkt: request.jkt, authorizationDetails: request.authorizationDetails },
    });
  });
}
