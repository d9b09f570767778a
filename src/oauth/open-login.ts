import type { Tx } from '../database/database.ts';
import type { UserRow } from '../identity/accounts/user-store.ts';
import { requireUnchanged } from '../identity/credentials/check-credentials.ts';
import { addKnownBrowser } from '../identity/credentials/known-browsers.ts';
import { sendSecondStepCode } from '../identity/factors/email-codes.ts';
import { rememberBrowser } from '../identity/factors/remembered-browser-store.ts';
import { createMfaToken, type FactorMethod, secondStepOf, setUpScopes } from '../identity/factors/second-step.ts';
import { recordIdentitySession } from '../identity/providers/identity-store.ts';
import { OAuthError } from '../platform/errors.ts';
import { lowestAcr } from '../platform/proof.ts';
import { recordEvent } from '../resources/audit/record-event.ts';
import { requireRealm } from './clients/client-rules.ts';
import { narrowScopes } from './clients/scopes/scopes.ts';
import { requireCredentials } from './clients/secrets/client-secrets.ts';
import type { GrantRequest, GrantResult, OAuth } from './oauth.ts';
import { authenticatedBy } from './sessions/store/session-store.ts';

interface NewLogin {
  readonly user: UserRow;
  readonly scopes: readonly string[];
  readonly resource: readonly string[];
  /** How the user proved who they are (RFC 8176). */
  readonly amr: readonly string[];
  /** The time of the authentication at a provider. Default: now. */
  readonly authTime?: number | undefined;
  /** The identity at a provider that the user signed in with, and the session there. */
  readonly identity?: { readonly id: string; readonly sid: string | null } | undefined;
  /** The login may only set up a second factor. */
  readonly setUpOnly?: true;
  /** Marks the proofs as used. False if they were already used. */
  consume?(tx: Tx): Promise<boolean>;
  /** Whether this browser skips the second factor for MFA_REMEMBER. */
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
  { user, scopes, resource, amr, authTime, identity, setUpOnly, consume, remember = false }: NewLogin,
): Promise<GrantResult> {
  const browserCookie = addKnownBrowser(keys, source, user.id);
  const opened = await context.database.db.transaction().execute(async (tx) => {
    await requireUnchanged(context, tx, user);
    await requireRealm(tx, client, user.id);
    await requireCredentials(context, tx, client);
    if (consume && !(await consume(tx))) throw wrongFactor('used before');
    const stored = sessions.open(tx, {
      userId: user.id,
      clientId: client.id,
      scopes,
      resource,
      authentication: authenticatedBy(amr, Math.min(context.now(), authTime ?? Infinity)),
      details: { setUpOnly },
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

interface FirstStep extends Omit<NewLogin, 'amr' | 'remember'> {
  readonly firstMethod: keyof typeof amrOf;
}

/** RFC 8176 has no value for a sign-in at another provider. `fed` is in common use. */
export const amrOf = { password: ['pwd'], email_code: ['otp'], provider: ['fed'] } as const;

/** Opens the session or asks for a second factor. With `acr_values`, remembered browsers are asked too. */
export async function finishFirstStep(oauth: OAuth, request: GrantRequest, step: FirstStep): Promise<GrantResult> {
  const { context, keys } = oauth;
  const { user, firstMethod, scopes } = step;
  const next = await secondStepOf(context, keys, user, {
    source: request.source,
    firstMethod,
    minAcr: lowestAcr((request.parameters.get('acr_values') ?? '').split(' ')),
  });
  if (next.kind === 'prove') throw await mfaRequired(oauth, request, step, next.methods);
  const login = { ...step, amr: amrOf[firstMethod] };
  if (next.kind === 'none') return openLogin(oauth, request, login);
  const setUp = { scopes: narrowScopes(setUpScopes, scopes), setUpOnly: true } as const;
  const opened = await openLogin(oauth, request, { ...login, ...setUp });
  // RFC 6749 5.1: the response names the scopes if they differ from the requested scopes.
  return { ...opened, requestedScopes: scopes };
}

async function mfaRequired(
  oauth: OAuth,
  { client, source }: GrantRequest,
  { user, scopes, resource, firstMethod, identity, consume }: FirstStep,
  methods: readonly FactorMethod[],
): Promise<OAuthError> {
  const { context, keys } = oauth;
  // The first step uses up only its own proof.
  if (consume && !(await context.database.db.transaction().execute(consume))) {
    return new OAuthError('invalid_grant', 'This code was used before.');
  }
  const emailCode = methods.includes('email_code')
    ? await sendSecondStepCode(oauth, { id: user.id, email: user.email as string }, source)
    : undefined;
  const login = { userId: user.id, clientId: client.id, scopes, resource, identity };
  const factors = { amr: amrOf[firstMethod], methods, emailCode };
  const mfa_token = createMfaToken(keys, user, { ...login, ...factors }, context.now());
  return new OAuthError('mfa_required', 'Prove a second factor: grant_type urn:gatehouse:mfa with mfa_token.', {
    status: 403,
    members: { mfa_token, methods },
  });
}
