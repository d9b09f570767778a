import { commitAndInvalidate } from '../../../src/database/bus.ts';
import type { Context } from '../../../src/database/context.ts';
import { lockForRevocation } from '../../../src/database/locks/revocation-locks.ts';
import type { RequestSource } from '../../../src/http/request-source.ts';
import {
  consumeOneTimeToken,
  findUsableOneTimeToken,
} from '../../../src/identity/account-mails/one-time-token-store.ts';
import { invalidLink } from '../../../src/identity/account-mails/one-time-tokens.ts';
import type { AccountServices } from '../../../src/identity/accounts/account-services.ts';
import { findUser, updateUser } from '../../../src/identity/accounts/user-store.ts';
import { revokeAccess } from '../../../src/identity/credentials/reset-password.ts';
import { unusablePassword } from '../../../src/identity/passwords/passwords.ts';
import { forbidden } from '../../../src/platform/errors.ts';
import { recordEvent } from '../../../src/resources/audit/record-event.ts';
import type { Upstream } from '../client/upstream.ts';
import { insertIdentity } from './identity-store.ts';
import { linkedElsewhere } from './link-identity.ts';

/** Accepts an invitation with a provider instead of a password. The provider must have verified the invited address. */
export async function acceptInvitation(
  context: Context,
  services: AccountServices,
  { linkId, upstream, source }: { linkId: string; upstream: Upstream; source: RequestSource },
): Promise<void> {
  const { database, now } = context;
  const invitation = await findUsableOneTimeToken(database.db, linkId, 'reset_password', now());
  const user = invitation && (await findUser(database.db, invitation.user_id));
  // A user who confirmed the address before is not new, and links the identity in the settings.
  if (!invitation || !user || user.disabled || user.email !== invitation.email || user.email_confirmed === 1)
    throw invalidLink();
  if (!upstream.emailVerified || upstream.email?.toLowerCase() !== invitation.email.toLowerCase()) {
    throw forbidden('The invitation is for another email address than the one of this account.', 'invitation_address');
  }
  await commitAndInvalidate(database, async (tx, invalidate) => {
    await lockForRevocation(tx, [user.id]);
    if (!(await consumeOneTimeToken(tx, invitation.id, 'reset_password', now()))) throw invalidLink();
    await revokeAccess(services, tx, invalidate, { userId: user.id, now: now(), cause: 'identity_linked' });
    const changes = { password_hash: unusablePassword(), email_confirmed: 1, updated_at: now() };
    await updateUser(tx, user.id, changes);
    const id = await insertIdentity(tx, upstream, { userId: user.id, now: now() });
    if (id === undefined) throw linkedElsewhere();
    const data = { provider: upstream.provider, issuer: upstream.issuer };
    await recordEvent(context, tx, { type: 'identity.linked', userId: user.id, rowId: id, source, data });
  });
}
