import { changeAs } from '../../database/change-as.ts';
import type { Context } from '../../database/context.ts';
import { requireProof } from '../../http/gate/require-proof.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { type Caller, isAdmin } from '../../platform/caller.ts';
import { forbidden, unprocessable } from '../../platform/errors.ts';
import type { ResourceServices } from '../../resources/model/resource-services.ts';
import type { AccountServices } from '../accounts/account-services.ts';
import { readProfile } from '../accounts/user-fields.ts';
import { findUser, type UserRow } from '../accounts/user-store.ts';
import { makeUser } from '../registration/make-user.ts';
import { requireEveryScope } from './guard-user.ts';

interface Invitation {
  readonly email: string;
  readonly name?: string | null;
  readonly roles?: readonly string[];
  readonly current_password?: string;
}

export type InvitationServices = AccountServices & Pick<ResourceServices, 'proveByPassword'>;

const emailRequired = { field: 'email', code: 'required', message: 'email is required.' };

/** An invitation can assign roles, so the token must have every scope. */
function requireInviter(caller: Caller): void {
  if (!isAdmin(caller)) throw forbidden('You may not do this with invitations.');
  requireEveryScope(caller);
}

/** Creates a user whose password nobody knows, and mails a link to choose one. */
export async function inviteUser(
  context: Context,
  services: InvitationServices,
  { caller, source }: { caller: Caller; source: RequestSource },
  invitation: Invitation,
): Promise<UserRow> {
  requireInviter(caller);
  if (invitation.roles?.length) {
    const { current_password: password } = invitation;
    const proved = password ? await services.proveByPassword({ caller, source }, password) : caller;
    requireProof(proved, context.now());
  }
  const { profile, errors } = readProfile({ email: invitation.email, name: invitation.name ?? null });
  const { email } = profile;
  // An address of blanks reads as none.
  if (email === null || errors.length > 0) throw unprocessable(errors.length > 0 ? errors : [emailRequired]);
  const made = {
    profile,
    password: null,
    roles: [...(invitation.roles ?? [])],
    confirmed: false,
    event: 'user.invited',
    actorId: caller.userId,
    clientId: caller.clientId,
    source,
    mails: false,
  } as const;
  const inviter = caller.userId === null ? undefined : await findUser(context.database.db, caller.userId);
  const act = { caller, scope: 'users:write', ofAccounts: true };
  return makeUser(context, services, made, (work) =>
    changeAs(context.database, services.holdAuthority, act, async (tx, _invalidate, held) => {
      requireInviter(held);
      await work(tx);
      const data = { inviter: inviter?.name ?? inviter?.email ?? null };
      await services.mail.enqueue(tx, { template: 'invitation', recipient: email, language: source.language, data });
    }),
  );
}
