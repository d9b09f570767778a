import { sendEmailCode } from '../identity/factors/email-codes.ts';
import { createMfaToken } from '../identity/factors/mfa-token.ts';
import { type FactorMethod, secondStepOf, setUpScopes } from '../identity/factors/second-step.ts';
import { OAuthError } from '../platform/errors.ts';
import { lowestAcr } from '../platform/proof.ts';
import { narrowScopes } from './clients/scopes/scopes.ts';
import type { GrantRequest, GrantResult } from './grant-request.ts';
import type { OAuth } from './oauth.ts';
import { type NewLogin, openLogin } from './open-login.ts';

interface FirstStep extends Omit<NewLogin, 'amr' | 'remember'> {
  readonly firstMethod: keyof typeof amrOf;
}

/** RFC 8176 has no value for a sign-in at another provider. `fed` is in common use. */
export const amrOf = { password: ['pwd'], email_code: ['otp'], provider: ['fed'] } as const;

/** Opens the session or asks for a second factor (contract 13.5). With `acr_values`, remembered browsers are asked too. */
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
  const opened = await openLogin(oauth, request, { ...login, scopes: narrowScopes(setUpScopes, scopes) });
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
    ? (await sendEmailCode(oauth, user.email as string, source)).id
    : undefined;
  const mfaClaims = {
    userId: user.id,
    clientId: client.id,
    scopes,
    resource,
    amr: amrOf[firstMethod],
    methods,
    emailCode,
    identity,
  };
  const mfa_token = createMfaToken(keys, user, mfaClaims, context.now());
  return new OAuthError('mfa_required', 'Prove a second factor: grant_type urn:gatehouse:mfa with mfa_token.', {
    status: 403,
    members: { mfa_token, methods },
  });
}
