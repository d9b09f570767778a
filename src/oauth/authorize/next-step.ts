import type { Caller } from '../../platform/caller.ts';
import { OAuthError } from '../../platform/errors.ts';
import { type Acr, isProofSufficient, meetsAcr } from '../../platform/proof.ts';
import { isNativeRedirect } from '../clients/client-uris.ts';
import { adminScope, allowsScope, identityScopes } from '../clients/scopes/scopes.ts';
import type { OAuth } from '../oauth.ts';
import { scopesOfClaims } from '../openid/claims.ts';
import { findSession } from '../sessions/store/session-store.ts';
import { unmetRequirements } from './authorization-parameters.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import type { Consent } from './consent-store.ts';
import { hasAllowed } from './remember-consent.ts';

/** The browser session of a signed-in user, and the time of the authentication. */
export type BrowserLogin = NonNullable<Awaited<ReturnType<typeof findBrowserLogin>>>;

/** Finds the login of a browser session. Other tokens are rejected: a cookie must not give them more rights. */
export async function findBrowserLogin({ context, clients }: Pick<OAuth, 'context' | 'clients'>, caller: Caller) {
  const { kind, userId, sessionId, clientId, setUpOnly } = caller;
  if (kind !== 'user' || setUpOnly || userId === null || sessionId === null || clientId === null) return undefined;
  const session = await findSession(context.database, sessionId);
  if (session?.type !== 'session' || session.revoked_at !== null) return undefined;
  if ((await clients.find(clientId))?.type !== 'password') return undefined;
  return { caller, userId, session, authTime: session.auth_time ?? session.created_at };
}

/** The steps of this request that the user has already completed. */
export interface Progress {
  /** The time at which the user was sent to sign in. A recent sign-in after it belongs to this request. */
  readonly signInStartedAt?: number | undefined;
  /** The session with which the user chose to continue. */
  readonly chosenSessionId?: string | undefined;
}

/** The next step: a page, or the response. */
export type Step =
  | { readonly kind: 'sign-in' }
  | { readonly kind: 'choose-account' }
  | { readonly kind: 'consent'; readonly scopes: readonly string[] }
  | { readonly kind: 'grant'; readonly scopes: readonly string[] };

interface StepContext {
  readonly login: BrowserLogin | undefined;
  readonly progress: Progress;
  readonly consent: Consent | undefined;
  /** The users that the application accepts (`id_token_hint`, the claim `sub`); undefined: any user. */
  readonly expectedUserIds?: readonly unknown[] | undefined;
  /** The highest level that the user can sign in at. */
  readonly highestAcr?: Acr | undefined;
  readonly now: number;
}

/** OpenID Connect Core 3.1.2.1 and 3.1.2.3. With `prompt=none`, a step that needs a page is an error. */
export function nextStep(
  request: AuthorizationRequest,
  { login, progress, consent, expectedUserIds, highestAcr, now }: StepContext,
): Step {
  const { prompt, maxAge, acr, client } = request;
  const isSilent = prompt.has('none');
  const { signInStartedAt, chosenSessionId } = progress;
  const isFresh = login !== undefined && isProofSufficient(login.caller.proof, now);
  const hasSignedIn = isFresh && signInStartedAt !== undefined && login.authTime >= signInStartedAt;
  const isTooLongAgo = login !== undefined && maxAge !== undefined && now - login.authTime > maxAge * 1000;
  const isOtherUser = login !== undefined && expectedUserIds !== undefined && !expectedUserIds.includes(login.userId);
  if (!login || isOtherUser || (!hasSignedIn && (prompt.has('login') || isTooLongAgo))) {
    if (isSilent || (isOtherUser && (hasSignedIn || expectedUserIds.length === 0)))
      throw new OAuthError('login_required', 'A user whom the application accepts must sign in.');
    return { kind: 'sign-in' };
  }
  if (acr !== undefined && !meetsAcr(login.caller.proof.acr, acr)) {
    if (isSilent || hasSignedIn || !meetsAcr(highestAcr ?? null, acr)) throw unmetRequirements();
    return { kind: 'sign-in' };
  }
  if (prompt.has('select_account') && !hasSignedIn && chosenSessionId !== login.session.id)
    return { kind: 'choose-account' };
  // A user can grant only scopes that the user has.
  const requested = new Set([...request.scopes, ...scopesOfClaims(request.claims)]);
  const scopes = [...requested].filter((scope) => mayGrant(login.caller, scope));
  if (scopes.length === 0) throw new OAuthError('invalid_scope', 'The user may grant none of these scopes.');
  const asksForRoles = scopes.includes(adminScope);
  if (asksForRoles && !isFresh) {
    if (isSilent) throw new OAuthError('login_required', 'The user must sign in again for the scope admin.');
    return { kind: 'sign-in' };
  }
  // RFC 8252 8.6: any program on the device can impersonate a native application.
  const isNative = client.public && isNativeRedirect(request.redirectUri);
  if (isSilent && isNative)
    throw new OAuthError('interaction_required', 'The user must confirm a native application each time.');
  // Consent to authorization details is never remembered.
  const mustAsk = asksForRoles || isNative || prompt.has('consent') || request.authorizationDetails !== undefined;
  if (client.trusted && !asksForRoles && !isNative) return { kind: 'grant', scopes };
  const granted = mustAsk ? undefined : rememberedScopes(scopes, consent);
  if (granted) return { kind: 'grant', scopes: granted };
  if (isSilent) throw new OAuthError('consent_required', 'The user must be asked for consent.');
  return { kind: 'consent', scopes };
}

/** Whether this login may grant the scope to an application. A user without any role cannot grant the admin scope. */
export const mayGrant = ({ roles, scopes }: Caller, scope: string): boolean =>
  scope === adminScope ? roles.length > 0 : identityScopes.includes(scope) || allowsScope(scopes, scope);

/** Which of these scopes the user has already allowed. Undefined if one was never asked for, or none was allowed. */
function rememberedScopes(scopes: readonly string[], consent: Consent | undefined): readonly string[] | undefined {
  if (!consent) return undefined;
  if (!scopes.every((scope) => consent.requestedScopes.includes(scope) || hasAllowed(consent, scope))) return undefined;
  const granted = scopes.filter((scope) => hasAllowed(consent, scope));
  return granted.length > 0 ? granted : undefined;
}
