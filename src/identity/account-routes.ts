import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type Config, roleNames } from '../config/config.ts';
import type { App } from '../http/app.ts';
import { isForm } from '../http/bodies/content-type-parsers.ts';
import { namedSchema } from '../http/named-schema.ts';
import { noValidation } from '../http/no-validation.ts';
import { requestSource } from '../http/request-source.ts';
import { asObject } from '../platform/is-object.ts';
import { readForm } from '../resources/write/form-body.ts';
import { requestMail } from './account-mails/request-mail.ts';
import type { AccountServices } from './accounts/account-services.ts';
import { toUserView, UserView } from './accounts/user.ts';
import { readEmailField, readSingleField, rejectUnknownFields } from './accounts/user-fields.ts';
import type { UserRow } from './accounts/user-store.ts';
import { resetPassword } from './credentials/reset-password.ts';
import { confirmEmail, requestConfirmation, requestOwnConfirmation, undoEmailChange } from './email/change-email.ts';
import { registerUser } from './registration/register.ts';
import { requireLocalPasswords, requireOpenRegistration } from './registration/store-new-user.ts';
import { type InvitationServices, inviteUser } from './users/user-actions.ts';

const text = (description: string) => Type.Optional(Type.String({ description }));
const Message = namedSchema('Acknowledgement', Type.Object({ message: Type.String() }));
const TokenOfMail = Type.Object({ token: Type.String({ description: 'The last part of the link in the email.' }) });

/** The handlers validate the body themselves, so that one response names all errors. */
const publicRoute = { config: { auth: 'public' }, ...noValidation } as const;
const tags = ['users'];

const mailRequested = { message: 'If this address belongs to a user, an email is on its way.' };

const createdUser = Type.Object({ data: namedSchema('{users}', UserView) });
const sendCreated = ({ baseUrl }: Config, reply: FastifyReply, user: UserRow) =>
  reply
    .code(201)
    .header('location', `${baseUrl}/v1/users/${user.id}`)
    .send({ data: toUserView(user) });

/** Registration, email confirmation and password reset: routes that need no token. */
export function serveAccounts(app: App, services: AccountServices): void {
  const { config } = services.context;
  app.post(
    '/v1/register',
    {
      ...publicRoute,
      schema: {
        tags,
        summary: 'Register a user',
        description:
          'Returns the user, not tokens: log in with the same credentials to get tokens. 403 if REGISTRATION is closed.',
        body: Type.Object(
          {
            email: text('Required unless another enabled identifier is sent.'),
            password: Type.String({
              description: 'At least 8 characters, at most 1,024 bytes. Common passwords are rejected.',
            }),
            password_confirmation: text('For forms that ask for the password twice: must equal the password.'),
            name: text('What to call the user.'),
            username: text('3 to 32 letters, digits, dots, dashes and underscores, starting with a letter.'),
            phone: text('A number with its country code; stored as E.164.'),
          },
          { additionalProperties: false, examples: [{ email: 'ada@example.com', password: 'lovelace-1815' }] },
        ),
        response: { 201: createdUser },
      },
    },
    async (request, reply) => {
      requireOpenRegistration(config);
      requireLocalPasswords(config);
      const user = await registerUser(services, asObject(request.body), requestSource(request));
      return sendCreated(config, reply, user);
    },
  );

  app.post(
    '/v1/email/confirmations',
    {
      ...publicRoute,
      config: { auth: 'public', bearer: 'optional' },
      schema: {
        tags,
        summary: 'Send the confirmation email again',
        description:
          "To the caller's own address (with a token; to a new one that waits to be confirmed), or to the address in `email`.",
        body: Type.Object({ email: text('May be left out where a token is sent.') }, { additionalProperties: false }),
        response: { 202: Message },
      },
    },
    async (request, reply) => {
      const email = readEmailField(asObject(request.body), { optional: request.caller.kind !== 'anonymous' });
      if (email === undefined) await requestOwnConfirmation(services, request.caller, requestSource(request));
      else await requestConfirmation(services, email, requestSource(request));
      return reply.code(202).send(email === undefined ? { message: 'An email is on its way.' } : mailRequested);
    },
  );

  app.post(
    '/v1/email/confirmations/:token',
    {
      ...publicRoute,
      schema: {
        tags,
        summary: 'Confirm an email address',
        description: 'A pending change of the address takes effect. 409 if another user has the address now.',
        params: TokenOfMail,
        response: { 200: Message },
      },
    },
    async (request) => {
      rejectUnknownFields(asObject(request.body));
      await confirmEmail(services, request.params.token, requestSource(request));
      return { message: 'Email address confirmed.' };
    },
  );

  app.post(
    '/v1/email/reversals/:token',
    {
      ...publicRoute,
      schema: {
        tags,
        summary: 'Undo a change of the email address, with the link that was sent to the old address',
        description:
          'Invalidates the password, ends all sessions and tokens, and sends a link to choose a new password to the restored address.',
        params: TokenOfMail,
        response: { 200: Message },
      },
    },
    async (request) => {
      rejectUnknownFields(asObject(request.body));
      await undoEmailChange(services, request.params.token, requestSource(request));
      return { message: 'The old email address is restored. An email to choose a new password is on its way to it.' };
    },
  );

  app.post(
    '/v1/password/resets',
    {
      ...publicRoute,
      schema: {
        tags,
        summary: 'Request an email with a link to set a new password',
        body: Type.Object({ email: Type.String() }, { additionalProperties: false }),
        response: { 202: Message },
      },
    },
    async (request, reply) => {
      const email = readEmailField(asObject(request.body));
      // The response reveals neither whether the user exists nor whether a mail was sent. With LOCAL_PASSWORDS=off, none is sent.
      if (config.localPasswords) {
        await requestMail(services, 'reset-password', email, requestSource(request));
      }
      return reply.code(202).send(mailRequested);
    },
  );

  app.post(
    '/v1/password/resets/:token',
    {
      ...publicRoute,
      schema: {
        tags,
        summary: 'Set a new password with the emailed link',
        description: "Ends the user's sessions, personal access tokens and the secrets of the user's clients.",
        params: TokenOfMail,
        body: Type.Object({ password: Type.String() }, { additionalProperties: false }),
        response: { 200: Message },
      },
    },
    async (request) => {
      const password = readSingleField(asObject(request.body), 'password');
      requireLocalPasswords(config);
      await resetPassword(services, request.params.token, password, requestSource(request));
      return { message: 'Password changed. Log in with the new one.' };
    },
  );
}

/** `POST /v1/invitations`, for administrators. */
export function serveInvitations(app: App, services: InvitationServices): void {
  const { config } = services.context;
  const body = Type.Object(
    {
      email: Type.String({ description: 'The address that gets the link to choose a password.' }),
      name: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      roles: Type.Optional(Type.Array(Type.Enum(roleNames(config)))),
      current_password: Type.Optional(
        Type.String({ description: 'The password, as the recent proof that assigning roles requires.' }),
      ),
    },
    { additionalProperties: false },
  );
  app.post(
    '/v1/invitations',
    {
      config: { auth: 'auth:api', scope: 'users:write' },
      schema: {
        tags,
        summary: 'Invite a person by email, with a link to choose a password',
        description: 'For administrators, with the scope `*`.',
        body,
        response: { 201: createdUser },
      },
      async preValidation(request: FastifyRequest) {
        if (isForm(request)) request.body = readForm(request.body, body);
      },
    },
    async (request, reply) => {
      const inviter = { caller: request.caller, source: requestSource(request) };
      const user = await inviteUser(services, inviter, request.body);
      return sendCreated(config, reply, user);
    },
  );
}
