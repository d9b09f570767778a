import { changeAs } from '../../../src/database/change-as.ts';
import type { Context } from '../../../src/database/context.ts';
import type { Tx } from '../../../src/database/database.ts';
import { proofTooOld } from '../../../src/http/gate/require-proof.ts';
import type { RequestSource } from '../../../src/http/request-source.ts';
import type { AccountServices } from '../../../src/identity/accounts/account-services.ts';
import { deleteRowsOf } from '../../../src/identity/accounts/forget-user-store.ts';
import { findUser, type UserRow, updateUser } from '../../../src/identity/accounts/user-store.ts';
import { revokeAccess } from '../../../src/identity/credentials/reset-password.ts';
import {
  deleteFactors,
  type FactorServices,
  recordFactorChange,
} from '../../../src/identity/factors/factor-services.ts';
import { unusablePassword } from '../../../src/identity/passwords/passwords.ts';
import { type Caller, userIdOf } from '../../../src/platform/caller.ts';
import { conflict, forbidden } from '../../../src/platform/errors.ts';
import type { Upstream } from '../client/upstream.ts';
import { deletePending, type PendingIdentity } from './attempt-store.ts';
import { findIdentity, insertIdentity } from './identity-store.ts';

export interface LinkServices {
  readonly accounts: AccountServices;
  readonly factors: FactorServices;
}

interface Linking {
  readonly caller: Caller;
  readonly upstream: Upstream;
  readonly source: RequestSource;
}

export const linkedElsewhere = () =>
  conflict('This account of the provider belongs to another user here.', 'identity_taken');

/** Links an identity from the settings. The user is signed in with a recent proof. */
export const linkIdentity = (context: Context, services: LinkServices, { caller, upstream, source }: Linking) =>
  changeAs(
    context.database,
    services.accounts.lockAuthority,
    { caller, changesAccounts: true },
    async (tx, _, lockedCaller) => {
      await services.factors.guardChange(tx, lockedCaller);
      await addIdentity(context, services, tx, { userId: userIdOf(lockedCaller), upstream, source });
    },
  );

/**
 * Links an identity after a sign-in whose email belongs to an existing user. This user has signed in another way since,
 * and so has proved to own the account. The proof is valid once, for the issuer and subject of this row. If the email
 * of the account was never confirmed, another person may have registered it with the owner's address. So the account
 * loses everything: the password, sessions, tokens, factors and other identities.
 */
export async function linkPendingIdentity(
  context: Context,
  services: LinkServices,
  pending: PendingIdentity,
  { caller, upstream, source }: Linking,
): Promise<UserRow> {
  const authority = { caller, changesAccounts: true };
  const { lockAuthority } = services.accounts;
  return changeAs(context.database, lockAuthority, authority, async (tx, invalidate, lockedCaller) => {
    const userId = requireOwner(lockedCaller, pending);
    await services.factors.guardChange(tx, lockedCaller);
    if (!(await deletePending(tx, pending))) throw conflict('This link was used before.', 'link_used');
    const user = await findUser(tx, userId);
    if (!user || user.disabled) throw forbidden('This account cannot sign in here.', 'sign_in_refused');
    const now = context.now();
    const neverConfirmed = user.email !== null && user.email_confirmed === 0;
    if (neverConfirmed) {
      await deleteRowsOf(tx, userId, 'identities');
      await deleteFactors(tx, userId);
      await revokeAccess(services.accounts, tx, invalidate, { userId, now, cause: 'identity_linked' });
    }
    await addIdentity(context, services, tx, { userId, upstream, source });
    if (!neverConfirmed) return user;
    const isSameEmail = upstream.email?.toLowerCase() === user.email?.toLowerCase();
    const confirmed = upstream.emailVerified && isSameEmail ? { email_confirmed: 1 } : {};
    const changes = { password_hash: unusablePassword(), ...confirmed, updated_at: now };
    invalidate({ kind: 'user', id: userId });
    return (await updateUser(tx, userId, changes)) as UserRow;
  });
}

/** The owner of the email. The owner's proof must be later than the provider's response. */
function requireOwner({ userId, proof }: Caller, pending: PendingIdentity): string {
  if (userId !== pending.user_id) {
    throw forbidden('Sign in with the account that has this email address.', 'other_account');
  }
  if (proof.time === null || proof.time < pending.created_at) throw proofTooOld(proof);
  return userId;
}

async function addIdentity(
  context: Context,
  { accounts }: LinkServices,
  tx: Tx,
  { userId, upstream, source }: Omit<Linking, 'caller'> & { readonly userId: string },
): Promise<void> {
  const id = await insertIdentity(tx, upstream, { userId, now: context.now() });
  if (id === undefined) {
    const other = await findIdentity(tx, upstream);
    if (other?.user_id === userId) return;
    throw linkedElsewhere();
  }
  const change = { event: 'identity.linked', notice: 'factor-added', what: 'a sign-in with a provider' } as const;
  const data = { provider: upstream.provider, issuer: upstream.issuer };
  await recordFactorChange(accounts, tx, { userId, ...change, rowId: id, data, source });
}
