import { randomBytes } from 'node:crypto';
import { Type } from 'typebox';
import type { Config } from '../../config/config.ts';
import { requireProof } from '../../http/gate/require-proof.ts';
import { unprocessable } from '../../platform/errors.ts';
import { action, type MadeAction } from '../../resources/declaration/define-resource.ts';
import { role } from '../../resources/declare.ts';
import type { AccountServices } from '../accounts/account-services.ts';
import { UserView, viewUser } from '../accounts/user.ts';
import { readProfile } from '../accounts/user-fields.ts';
import { findUser } from '../accounts/user-store.ts';
import { makeUser } from '../registration/make-user.ts';
import { roleNames } from '../roles/roles-resource.ts';
import { requireEveryScope } from './guard-user.ts';

const invitation = (config: Config) =>
  Type.Object({
    email: Type.String({ description: 'Where the link to choose a password goes.' }),
    name: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    roles: Type.Optional(Type.Array(Type.Enum(roleNames(config)))),
  });

const emailRequired = { field: 'email', code: 'required', message: 'email is required.' };

/** Makes a user whose password nobody knows, and mails a link to choose one. */
export const inviteUser = (config: Config, services: AccountServices): MadeAction =>
  action({
    name: 'invite',
    on: 'collection',
    access: role('admin'),
    status: 201,
    summary: 'Invite a person, who gets a mail with a link to choose a password',
    body: invitation(config),
    response: UserView,
    async run({ context, caller, source, now, body, transaction }) {
      requireEveryScope(caller);
      if (body.roles?.length) requireProof(caller, now);
      const { profile, errors } = readProfile({ email: body.email, name: body.name ?? null });
      const { email } = profile;
      // An address of blanks reads as none.
      if (email === null || errors.length > 0) throw unprocessable(errors.length > 0 ? errors : [emailRequired]);
      const password = randomBytes(32).toString('base64url');
      const inviter = caller.userId === null ? undefined : await findUser(context.database.db, caller.userId);
      const by = { actorId: caller.userId, clientId: caller.clientId };
      const made = {
        profile,
        password,
        roles: body.roles ?? [],
        confirmed: false,
        event: 'user.invited',
        ...by,
      } as const;
      const user = await makeUser(context, services, { ...made, source, mails: false }, (work) =>
        transaction(async ({ tx }) => {
          await work(tx);
          const data = { inviter: inviter?.name ?? inviter?.email ?? null };
          await services.mail.enqueue(tx, {
            template: 'invitation',
            recipient: email,
            language: source.language,
            data,
          });
        }),
      );
      return viewUser(user);
    },
  });
