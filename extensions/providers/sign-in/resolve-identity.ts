import { commitAndInvalidate } from '../../../src/database/bus.ts';
import type { Context } from '../../../src/database/context.ts';
import type { RequestSource } from '../../../src/http/request-source.ts';
import type { AccountServices } from '../../../src/identity/accounts/account-services.ts';
import { findUser, findUserByLogin, type UserRow } from '../../../src/identity/accounts/user-store.ts';
import {
  isTaken,
  mayMailMailbox,
  registerWithinLimits,
  requireFreeIdentifiers,
} from '../../../src/identity/registration/register.ts';
import { requireOpenRegistration, storeNewUser } from '../../../src/identity/registration/store-new-user.ts';
import { Problem } from '../../../src/platform/errors.ts';
import { recordEvent } from '../../../src/resources/audit/record-event.ts';
import type { Upstream } from '../client/upstream.ts';
import type { ProviderDefinition } from '../declaration/define-provider.ts';
import { updateFromSignIn } from './apply-sign-in.ts';
import { findIdentity, insertIdentity } from './identity-store.ts';
import { type Mapped, mapClaims } from './map-claims.ts';

/** The user that an identity belongs to. */
export type ResolvedIdentity =
  | { readonly kind: 'user'; readonly user: UserRow; readonly identityId: string; readonly isNew: boolean }
  /** The email belongs to this user, who must prove to own the account. */
  | { readonly kind: 'taken'; readonly user: UserRow };

/** The same error for a disabled user and for an identity that was just unlinked. */
export const signInRefused = (reason: string) =>
  new Problem(403, 'Forbidden', 'This account cannot sign in here.', { code: 'sign_in_refused', reason });

/** Signs in a known identity. Registers a new identity, unless its email is taken: then the owner must prove the account first. */
export async function resolveIdentity(
  context: Context,
  services: AccountServices,
  definition: ProviderDefinition,
  { upstream, source }: { upstream: Upstream; source: RequestSource },
): Promise<ResolvedIdentity> {
  const mapped = mapClaims(context, definition, upstream);
  const known = await signInKnown(context, { upstream, mapped, source });
  if (known) return known;
  const owner = await ownerOfEmail(context, upstream, source);
  if (owner) return { kind: 'taken', user: owner };
  try {
    return await register(context, services, { upstream, mapped, source });
  } catch (error) {
    if (!isTaken(error)) throw error;
    // A concurrent sign-in used the same identity or the same email first.
    const again = await signInKnown(context, { upstream, mapped, source });
    if (again) return again;
    const existing = await findByEmail(context, upstream.email);
    if (!existing) throw error;
    return { kind: 'taken', user: existing };
  }
}

interface SignIn {
  readonly upstream: Upstream;
  readonly mapped: Mapped;
  readonly source: RequestSource;
}

async function signInKnown(
  context: Context,
  { upstream, mapped, source }: SignIn,
): Promise<ResolvedIdentity | undefined> {
  const { database } = context;
  const identity = await findIdentity(database.db, upstream);
  if (!identity) return undefined;
  const user = await commitAndInvalidate(database, (tx, invalidate) =>
    updateFromSignIn(context, tx, invalidate, { identity, upstream, mapped, source }),
  );
  if (!user) throw signInRefused('a disabled user, or an identity that was unlinked');
  return { kind: 'user', user, identityId: identity.id, isNew: false };
}

const findByEmail = async ({ database }: Context, email: string | null): Promise<UserRow | undefined> =>
  email === null ? undefined : findUserByLogin(database.db, { attribute: 'email', value: email });

/** Finds the user by email. Limits how often a network learns that an unverified address is taken. */
async function ownerOfEmail(context: Context, { email, emailVerified }: Upstream, source: RequestSource) {
  const owner = await findByEmail(context, email);
  if (email === null || emailVerified) return owner;
  await requireFreeIdentifiers(context, { email }, source).catch((error) => {
    if (!isTaken(error) || !owner) throw error;
  });
  return owner;
}

/** Registers a user without a password. The email counts as confirmed if the provider is trusted to say so. */
async function register(
  context: Context,
  services: AccountServices,
  { upstream, mapped, source }: SignIn,
): Promise<ResolvedIdentity> {
  requireOpenRegistration(context.config);
  let identityId = '';
  const { name = upstream.name, username = null, phone = null } = mapped.fields;
  const profile = { email: upstream.email, username, phone, name };
  const user = await registerWithinLimits(context, source, async () => {
    const mails = upstream.email === null || upstream.emailVerified || (await mayMailMailbox(context, upstream.email));
    return storeNewUser(services, {
      profile,
      password: null,
      roles: mapped.roles ?? [],
      confirmed: upstream.emailVerified,
      mails,
      event: 'user.registered',
      source,
      async inTransaction(tx, { id: userId }) {
        const now = context.now();
        const inserted = await insertIdentity(tx, upstream, { userId, roles: mapped.roles, now, usedAt: now });
        if (inserted === undefined) {
          throw new Problem(422, 'Unprocessable Content', 'The identity is taken.', { errors: [identityTaken] });
        }
        identityId = inserted;
        const data = { provider: upstream.provider, issuer: upstream.issuer };
        await recordEvent(context, tx, { type: 'identity.linked', userId, rowId: identityId, source, data });
      },
    });
  });
  const current = (await findUser(context.database.db, user.id)) ?? user;
  return { kind: 'user', user: current, identityId, isNew: true };
}

const identityTaken = { field: 'identity', code: 'taken', message: 'identity is taken.' };
