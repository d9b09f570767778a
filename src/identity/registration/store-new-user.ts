import { type Config, roleNames } from '../../config/config.ts';
import { violatedUniqueColumns } from '../../database/constraint-errors.ts';
import type { Context } from '../../database/context.ts';
import type { Tx } from '../../database/database.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { forbidden, Problem, unprocessable } from '../../platform/errors.ts';
import { isOneOf } from '../../platform/is-one-of.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import type { AccountServices } from '../accounts/account-services.ts';
import { isReservedForAnother } from '../accounts/email-change-store.ts';
import { newUserChanges, newUserRow } from '../accounts/user.ts';
import {
  checkNewPassword,
  missingIdentifier,
  type Profile,
  profileFields,
  readProfile,
  takenField,
} from '../accounts/user-fields.ts';
import { insertUser, saveTimeZone, type UserRow } from '../accounts/user-store.ts';
import { enqueueConfirmation } from '../email/change-email.ts';
import { unusablePassword } from '../passwords/passwords.ts';

interface UserToMake extends Omit<NewUser, 'id'> {
  /** Checked, like the profile. Null: the user has no password and signs in another way. */
  readonly password: string | null;
  /** Further writes in the same transaction as the user. */
  inTransaction?(tx: Tx, user: UserRow): Promise<void>;
}

type InTransaction = (work: (tx: Tx) => Promise<void>) => Promise<void>;

/** Creates a complete user. The resource engine inserts its own users and completes them in the same way. */
export async function storeNewUser(
  services: AccountServices,
  newUser: UserToMake,
  inTransaction: InTransaction = (work) => services.context.database.db.transaction().execute(work),
): Promise<UserRow> {
  const { password, source, profile, confirmed, roles } = newUser;
  const passwordHash = password === null ? unusablePassword() : await services.passwords.hash(password, source.address);
  const now = services.context.now();
  const user = newUserRow({ profile, passwordHash, confirmed, roles, now });
  await refusingTaken(() =>
    inTransaction(async (tx) => {
      await insertUser(tx, user);
      // Checked after the insert, so that a concurrent change that releases the address is visible.
      if (user.email !== null && (await isReservedForAnother(tx, user.email, user.id, now))) {
        throw unprocessable([takenField('email')]);
      }
      await finishUserCreation(services, tx, { ...newUser, id: user.id });
      await newUser.inTransaction?.(tx, user);
    }),
  );
  return user;
}

/** Two concurrent requests pass all earlier checks. The database lets only one of them through. */
async function refusingTaken<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const columns = violatedUniqueColumns(error)?.filter((column) => isOneOf(profileFields, column));
    if (!columns || columns.length === 0) throw error;
    throw unprocessable(columns.map(takenField));
  }
}

/** Administrators and the command line can always create users. */
export function requireOpenRegistration({ registration }: Pick<Config, 'registration'>): void {
  if (registration === 'open') return;
  throw new Problem(403, 'Registration is closed', 'Only administrators of this service create accounts.', {
    code: 'registration_closed',
  });
}

/** LOCAL_PASSWORDS=off: users sign in only with providers and passkeys, so passwords cannot be set. */
export function requireLocalPasswords({ localPasswords }: Pick<Config, 'localPasswords'>): void {
  if (localPasswords) return;
  throw forbidden('This service has no passwords. Sign in with a provider or a passkey.', 'local_passwords_off');
}

export interface NewUser {
  readonly id: string;
  /** Checked. */
  readonly profile: Profile;
  readonly roles: readonly string[];
  readonly confirmed: boolean;
  /** How the user was created, for the audit trail. `actorId`: the user who did so, if another. */
  readonly event: 'user.registered' | 'user.created' | 'user.invited';
  readonly actorId?: string | null;
  readonly clientId?: string | null;
  readonly source: RequestSource;
  /** False: no mail is sent. The owner can request it later. */
  readonly mails?: boolean | undefined;
  /** False: the user gets no first token. */
  readonly firstToken?: boolean | undefined;
}

/** Completes a new user: the first token, the confirmation mail and the audit event. */
export async function finishUserCreation(
  { context, issueFirstToken, mail }: AccountServices,
  tx: Tx,
  { id, profile, roles, confirmed, event, actorId, clientId, source, mails = true, firstToken = true }: NewUser,
): Promise<void> {
  if (event === 'user.registered') await saveTimeZone(tx, id, source);
  if (firstToken) await issueFirstToken(tx, id);
  if (mails) await enqueueConfirmation(mail, tx, { email: profile.email, email_confirmed: Number(confirmed) }, source);
  // Users that the service or a command creates are not counted as registrations.
  if (event === 'user.registered' || actorId) context.metrics.registrations.inc({ how: event.slice('user.'.length) });
  const data = { changes: newUserChanges({ ...profile, roles }) };
  await recordEvent(context, tx, { type: event, userId: id, actorId, clientId, source, data });
}

interface CreatedUser extends Partial<Readonly<Record<keyof Profile, string | undefined>>> {
  readonly password: string;
  readonly roles: readonly string[];
  readonly confirmed: boolean;
}

/** Creates a user for the operator, with roles. The operator decides whether the email counts as confirmed. */
export async function createUser(services: AccountServices, input: CreatedUser, source: RequestSource) {
  const profile = await readNewUser(services.context, input);
  const { password, roles, confirmed } = input;
  return storeNewUser(services, { profile, password, roles, confirmed, event: 'user.created', source });
}

async function readNewUser({ config }: Context, input: CreatedUser): Promise<Profile> {
  const { profile, errors } = readProfile(input);
  const missing = missingIdentifier(config, profile);
  if (errors.length === 0 && missing) errors.push(missing);
  const declaredRoles = roleNames(config);
  for (const role of input.roles.filter((name) => !declaredRoles.includes(name))) {
    const message = `"${role}" is not a role. Expected one of: ${declaredRoles.join(', ')}.`;
    errors.push({ field: 'roles', code: 'unknown', message });
  }
  const wrongPassword = await checkNewPassword(input.password, profile);
  if (wrongPassword) errors.push(wrongPassword);
  if (errors.length > 0) throw unprocessable(errors);
  return profile;
}
