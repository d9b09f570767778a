import { Type } from 'typebox';
import type { Context } from '../database/context.ts';
import type { App } from '../http/app.ts';
import { isForm } from '../http/bodies/content-type-parsers.ts';
import { named } from '../http/openapi/openapi-components.ts';
import { requestSource } from '../http/request-source.ts';
import { refuseParameters } from '../resources/query/list-query.ts';
import { readForm } from '../resources/write/form-body.ts';
import { UserView, viewUser } from './accounts/user.ts';
import { roleNames } from './roles/roles-resource.ts';
import { type InvitationServices, inviteUser } from './users/invite-user.ts';

/** `POST /v1/invitations`, for administrators. */
export function serveInvitations(app: App, context: Context, services: InvitationServices): void {
  const body = Type.Object(
    {
      email: Type.String({ description: 'The address that gets the link to choose a password.' }),
      name: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      roles: Type.Optional(Type.Array(Type.Enum(roleNames(context.config)))),
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
        tags: ['users'],
        summary: 'Invite a person by email, with a link to choose a password',
        description: 'For administrators, with the scope `*`.',
        body,
        response: { 201: Type.Object({ data: named('User', UserView) }) },
      },
      async preValidation(request) {
        if (isForm(request)) request.body = readForm(request.body as Record<string, unknown>, body) as never;
      },
    },
    async (request, reply) => {
      refuseParameters(request.query as Record<string, string>);
      const by = { caller: request.caller, source: requestSource(request) };
      const user = await inviteUser(context, services, by, request.body);
      return reply
        .code(201)
        .header('location', `${context.config.baseUrl}/v1/users/${user.id}`)
        .send({ data: viewUser(user) });
    },
  );
}
