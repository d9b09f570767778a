import { Type } from 'typebox';
import { changeAs } from '../../database/change-as.ts';
import type { App } from '../../http/app.ts';
import { requireScope, unauthorized } from '../../http/gate/unauthorized.ts';
import { noValidation } from '../../http/no-validation.ts';
import { requestSource } from '../../http/request-source.ts';
import { type Caller, isSignedIn, userIdOf } from '../../platform/caller.ts';
import { badRequest, conflict, forbidden, notFound, unprocessable } from '../../platform/errors.ts';
import { asObject } from '../../platform/is-object.ts';
import { proofBody } from '../../resources/declaration/step-up.ts';
import type { ResourceServices } from '../../resources/model/resource-services.ts';
import { readEmailField, readSingleField, rejectUnknownFields } from '../accounts/user-fields.ts';
import { findUser } from '../accounts/user-store.ts';
import { sendEmailCode } from './email-codes.ts';
import { countHeldFactors, hasSecondFactor } from './factor-count-store.ts';
import { type FactorServices, recordFactorChange, requireSecondFactors } from './factor-services.ts';
import { creationOptions, passkeyOrigins, requestOptions } from './passkeys.ts';
import { countRecoveryCodes, makeRecoveryCodes } from './recovery-code-store.ts';
import { loginExpired, readMfaToken } from './second-step.ts';

const tags = ['factors'];
const Options = Type.Object({ challenge: Type.String() }, { additionalProperties: true });

/** Factors belong to a user, not to the user's clients. */
function requirePerson({ kind, userId }: Caller): string {
  if (kind !== 'user' || userId === null) throw forbidden('Only a signed-in user can have and change factors.');
  return userId;
}

interface FactorRouteServices extends Pick<ResourceServices, 'lockAuthority' | 'proveByPassword'> {
  readonly services: FactorServices;
}

/** Passkey challenges, recovery codes and mailed codes. These are not resources. */
export function serveFactors(app: App, { services, lockAuthority, proveByPassword }: FactorRouteServices): void {
  const { context } = services;
  const { config, database } = context;

  app.get(
    '/.well-known/webauthn',
    {
      config: { auth: 'public', limited: false, cors: 'any' },
      schema: {
        tags,
        summary: 'Origins whose pages may use the passkeys of this service (WebAuthn related origins)',
        response: { 200: Type.Object({ origins: Type.Array(Type.String()) }) },
      },
    },
    async () => ({ origins: passkeyOrigins(config) }),
  );

  app.post(
    '/v1/passkey-challenges',
    {
      ...noValidation,
      config: { auth: 'public', bearer: 'optional' },
      schema: {
        tags,
        summary: 'Get the options for navigator.credentials',
        description:
          'With a token: to create a passkey. Without a token, or with `type: get`: to sign in, or to renew the proof of identity. ' +
          'A challenge works once, within five minutes.',
        body: Type.Object(
          {
            type: Type.Optional(Type.Union([Type.Literal('create'), Type.Literal('get')])),
            automatic: Type.Optional(
              Type.Boolean({ description: 'Let the browser create the passkey automatically (conditional create)' }),
            ),
            mfa_token: Type.Optional(Type.String({ description: 'The mfa_token of the second step of a login' })),
          },
          { additionalProperties: false },
        ),
        response: { 201: Type.Object({ data: Options }) },
      },
    },
    async ({ caller, body }, reply) => {
      rejectUnknownFields(asObject(body), 'type', 'automatic', 'mfa_token');
      const { type = caller.kind === 'user' ? 'create' : 'get', automatic = false, mfa_token } = asObject(body);
      if (type !== 'create' && type !== 'get') {
        throw unprocessable([{ field: 'type', code: 'enum', message: 'type must be create or get.' }]);
      }
      await services.keys.ensureCurrent();
      const first = mfa_token === undefined ? undefined : readMfaToken(services.keys, String(mfa_token), context.now());
      if (mfa_token !== undefined && !first) throw badRequest(loginExpired, 'invalid_grant');
      if (type === 'create' && caller.kind === 'anonymous') throw unauthorized('token_missing');
      reply.code(201).header('cache-control', 'no-store');
      if (type === 'get') {
        // Applications must not see the user's passkeys.
        const userId = first ? first.userId : isSignedIn(caller) ? userIdOf(caller) : undefined;
        return { data: await requestOptions(services, userId) };
      }
      const userId = requirePerson(caller);
      if (!isSignedIn(caller))
        throw forbidden('Only a person who has signed in here can create a passkey. An application cannot.');
      requireScope(caller, 'passkeys:write');
      const user = await findUser(database.db, userId);
      if (!user) throw notFound();
      return { data: await creationOptions(services, user, automatic ? 'automatic' : 'create') };
    },
  );

  const recoveryCodes = '/v1/recovery-codes';
  app.get(
    recoveryCodes,
    {
      config: { auth: 'auth:api', scope: 'authenticators:read' },
      schema: {
        tags,
        summary: 'Get the number of unused recovery codes',
        response: { 200: Type.Object({ data: Type.Object({ left: Type.Integer() }) }) },
      },
    },
    async ({ caller }) => ({ data: { left: await countRecoveryCodes(database.db, requirePerson(caller)) } }),
  );
  app.post(
    recoveryCodes,
    {
      ...noValidation,
      config: { auth: 'auth:api', scope: 'authenticators:write' },
      schema: {
        tags,
        summary: 'Replace the recovery codes with ten new ones, shown only in this response',
        body: proofBody,
        response: { 201: Type.Object({ data: Type.Object({ recovery_codes: Type.Array(Type.String()) }) }) },
      },
    },
    async (request, reply) => {
      const source = requestSource(request);
      const userId = requirePerson(request.caller);
      requireSecondFactors(context);
      const password = readSingleField(asObject(request.body), 'current_password');
      const caller = password ? await proveByPassword({ caller: request.caller, source }, password) : request.caller;
      const authority = { caller, scope: 'authenticators:write', changesAccounts: true };
      const recovery_codes = await changeAs(
        database,
        lockAuthority,
        authority,
        async (tx, _invalidate, lockedCaller) => {
          await services.guardChange(tx, lockedCaller);
          if (!hasSecondFactor(await countHeldFactors(tx, userId))) {
            throw conflict('Recovery codes replace a second factor. Set up a second factor first.', 'no_factor');
          }
          const codes = await makeRecoveryCodes(context, tx, userId);
          const change = { event: 'recovery_codes.made', notice: 'factor-added', what: 'new recovery codes' } as const;
          await recordFactorChange(services, tx, { userId, ...change, source });
          return codes;
        },
      );
      return reply.code(201).header('cache-control', 'no-store').send({ data: { recovery_codes } });
    },
  );

  if (!config.emailCodes) return;
  app.post(
    '/v1/email-codes',
    {
      ...noValidation,
      config: { auth: 'public' },
      schema: {
        tags,
        summary: 'Send a sign-in code to a confirmed email address',
        body: Type.Object({ email: Type.String() }, { additionalProperties: false }),
        response: { 202: Type.Object({ data: Type.Object({ id: Type.String(), expires_at: Type.String() }) }) },
      },
    },
    async (request, reply) => {
      const email = readEmailField(asObject(request.body));
      const { id, expiresAt } = await sendEmailCode(services, email, requestSource(request));
      const data = { id, expires_at: new Date(expiresAt).toISOString() };
      return reply.code(202).header('cache-control', 'no-store').send({ data });
    },
  );
}
