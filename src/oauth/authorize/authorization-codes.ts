import { changeAs } from '../../database/change-as.ts';
import type { Context } from '../../database/context.ts';
import type { Tx } from '../../database/database.ts';
import type { KeyRing } from '../../database/keys/key-ring.ts';
import { pruneBefore } from '../../database/prune-in-batches.ts';
import { uuidv7 } from '../../database/uuid.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { OAuthError } from '../../platform/errors.ts';
import { requireRealm } from '../clients/client-rules.ts';
import type { OAuth } from '../oauth.ts';
import { allowedClaims } from '../openid/claims.ts';
import { storedDetails } from '../sessions/store/grant-details.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import { insertCode } from './code-store.ts';
import type { BrowserLogin } from './next-step.ts';
import { consumePushedRequest } from './pushed-request-store.ts';
import { rememberConsent } from './remember-consent.ts';

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
    return issueCode(oauth, tx, grant);
  });
}

/** Long enough for the token request that follows. */
const lifetimeMs = 60_000;
/** Used codes are kept for this time, so that a second use is detected. */
const retentionMs = 24 * 3_600_000;

const purpose = 'authorization code';

/** Stores a code and makes its value, `<id>.<MAC>`: the stored id is useless without the server's key. */
async function issueCode({ context, keys }: OAuth, tx: Tx, { request, login, scopes }: AccessGrant): Promise<string> {
  const at = context.now();
  const id = uuidv7(at);
  const { jkt, authorizationDetails } = request;
  // A claim requested by name needs consent to its scope. It does not add the scope.
  const claims = allowedClaims(request.claims, (scope) => scopes.includes(scope));
  await insertCode(tx, {
    id,
    client_id: request.client.id,
    user_id: login.userId,
    login_id: login.session.id,
    redirect_uri: request.redirectUri,
    code_challenge: request.codeChallenge ?? null,
    asked: JSON.stringify(request.requestedScopes),
    scopes: JSON.stringify(scopes.filter((scope) => request.scopes.includes(scope))),
    nonce: request.nonce ?? null,
    resource: request.resource.length > 0 ? JSON.stringify(request.resource) : null,
    details: storedDetails({ claims, jkt, authorizationDetails }),
    created_at: at,
    expires_at: at + lifetimeMs,
    used_at: null,
    session_id: null,
  });
  return `${id}.${keys.macKeys.mac(purpose, id)}`;
}

/** The id in a code. The MAC is checked first, so a forged code costs no query. */
export function readCode(keys: KeyRing, code: string): string | undefined {
  const [, id = '', mac = ''] = /^([0-9a-f-]{36})\.([\w-]{43})$/.exec(code) ?? [];
  return id && mac && keys.macKeys.matches(purpose, id, mac) ? id : undefined;
}

export const pruneCodes = (context: Context): Promise<number> =>
  pruneBefore(context, 'authorization_codes', 'expires_at', context.now() - retentionMs);
