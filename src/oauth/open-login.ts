import type { Tx } from '../database/database.ts';
import type { UserRow } from '../identity/accounts/user-store.ts';
import { requireUnchanged } from '../identity/credentials/check-credentials.ts';
import { addKnownBrowser } from '../identity/credentials/known-browsers.ts';
import { rememberBrowser } from '../identity/factors/remembered-browser-store.ts';
import { recordIdentitySession } from '../identity/providers/identity-store.ts';
import { OAuthError } from '../platform/errors.ts';
import { recordEvent } from '../resources/audit/record-event.ts';
import { requireRealm } from './clients/require-realm.ts';
import { requireSecret } from './clients/secrets/client-secrets.ts';
import type { GrantRequest, GrantResult } from './grant-request.ts';
import type { OAuth } from './oauth.ts';
import { authenticatedBy } from './sessions/store/authentication.ts';

export interface NewLogin {
  readonly user: UserRow;
  readonly scopes: readonly string[];
  readonly resource: readonly string[];
  /** How the user proved who they are (RFC 8176). */
  readonly amr: readonly string[];
  /** The time of the authentication at a provider. Default: now. */
  readonly authTime?: number | undefined;
  /** The identity at a provider that the user signed in with, and the session there. */
  readonly identity?: { readonly id: string; readonly sid: string | null } | undefined;
  /** Marks the proofs as used. False if they were already used. */
  consume?(tx: Tx): Promise<boolean>;
  /** Do not ask for the second factor on this browser for MFA_REMEMBER. */
  readonly remember?: boolean;
}

export const wrongFactor = (reason: string) =>
  new OAuthError('invalid_grant', 'The code or the passkey is wrong, or was used before.', { reason });

const unlinked = () =>
  new OAuthError('invalid_grant', 'This way to sign in was removed.', { reason: 'the identity was unlinked' });

/** Opens the session of an authenticated user. The same transaction marks the proofs as used. */
export async function openLogin(
  { context, keys, sessions, notifyOfLogin }: OAuth,
  { client, source }: GrantRequest,
  { user, scopes, resource, amr, authTime, identity, consume, remember = false }: NewLogin,
): Promise<GrantResult> {
  const browserCookie = addKnownBrowser(keys, source, user.id);
  const opened = await context.database.db.transaction().execute(async (tx) => {
    await requireUnchanged(context, tx, user);
    await requireRealm(tx, client, user.id);
    await requireSecret(context, tx, client.secretId);
    if (consume && !(await consume(tx))) throw wrongFactor('used before');
    const stored = sessions.open(tx, {
      userId: user.id,
      clientId: client.id,
      scopes,
      resource,
      authentication: authenticatedBy(amr, Math.min(context.now(), authTime ?? Infinity)),
      source,
    });
    await stored.durable;
    if (identity) {
      const row = { session_id: stored.session.id, identity_id: identity.id, upstream_sid: identity.sid };
      if (!(await recordIdentitySession(tx, row))) throw unlinked();
    }
    await notifyOfLogin(tx, { userId: user.id, source });
    await recordEvent(context, tx, {
      type: 'login.succeeded',
      userId: user.id,
      clientId: client.id,
      sessionId: stored.session.id,
      source,
      // Most sign-ins use only a password. The audit trail names all others.
      ...(amr.length > 1 || amr[0] !== 'pwd' ? { data: { amr } } : {}),
    });
    if (remember && context.config.mfaRemember > 0) {
      await rememberBrowser(context, keys, tx, { userId: user.id, source, cookie: browserCookie });
    }
    return stored;
  });
  return { ...opened, scopes, browserCookie };
}
