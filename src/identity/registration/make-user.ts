import type { Config } from '../../config/config.ts';
import { violatedUniqueColumns } from '../../database/constraint-errors.ts';
import type { Context } from '../../database/context.ts';
import type { Tx } from '../../database/database.ts';
import { uuidv7 } from '../../database/uuid.ts';
import { forbidden, Problem, unprocessable } from '../../platform/errors.ts';
import type { AccountServices } from '../accounts/account-services.ts';
import { isKeptForAnother } from '../accounts/email-change-store.ts';
import { defaultRealm } from '../accounts/user.ts';
import { profileFields, takenField } from '../accounts/user-fields.ts';
import { insertUser, type UserRow } from '../accounts/user-store.ts';
import { unusablePassword } from '../passwords/passwords.ts';
import { completeUser, type NewUser } from './complete-user.ts';

interface UserToMake extends Omit<NewUser, 'id'> {
  /** Checked, as the profile is. Null: the user has none, and signs in by other ways. */
  readonly password: string | null;
  /** Further writes in the same transaction as the user. */
  also?(tx: Tx, user: UserRow): Promise<void>;
}

type InTransaction = (work: (tx: Tx) => Promise<void>) => Promise<void>;

/** A user with all that belongs to one from the start. The resource engine makes its own, and completes them alike. */
export async function makeUser(
  context: Context,
  services: AccountServices,
  made: UserToMake,
  inTransaction: InTransaction = (work) => context.database.db.transaction().execute(work),
): Promise<UserRow> {
  const { now } = context;
  const { password, source } = made;
  const passwordHash = password === null ? unusablePassword() : await services.passwords.hash(password, source.address);
  const at = now();
  const user: UserRow = {
    id: uuidv7(at),
    ...made.profile,
    password_hash: passwordHash,
    email_confirmed: made.confirmed && made.profile.email !== null ? 1 : 0,
    roles: JSON.stringify([...new Set(made.roles)]),
    disabled: 0,
    locale: null,
    realm: defaultRealm,
    created_at: at,
    updated_at: at,
    version: 1,
  };
  await refusingTaken(() =>
    inTransaction(async (tx) => {
      await insertUser(tx, user);
      // After the insert: of two at once, the one that gives the address up has been seen by then.
      if (user.email !== null && (await isKeptForAnother(tx, user.email, user.id, at))) {
        throw unprocessable([takenField('email')]);
      }
      await completeUser(context, services, tx, { ...made, id: user.id });
      await made.also?.(tx, user);
    }),
  );
  return user;
}

/** Two at once pass every check before; the database lets one of them through. */
async function refusingTaken<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const columns = violatedUniqueColumns(error)?.filter((column) => (profileFields as string[]).includes(column));
    if (!columns || columns.length === 0) throw error;
    throw unprocessable(columns.map(takenField));
  }
}

/** Administrators and the command line make users whatever the setting says. */
export function requireOpenRegistration({ registration }: Pick<Config, 'registration'>): void {
  if (registration === 'open') return;
  throw new Problem(403, 'Registration is closed', 'Only administrators of this service create accounts.', {
    code: 'registration_closed',
  });
}

/** LOCAL_PASSWORDS=off: providers and passkeys are the only ways to sign in, so nobody sets a password. */
export function requireLocalPasswords({ localPasswords }: Pick<Config, 'localPasswords'>): void {
  if (localPasswords) return;
  throw forbidden('This service has no passwords. Sign in with a provider or a passkey.', 'local_passwords_off');
}
