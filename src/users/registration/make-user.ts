import type { Context } from '../../context.ts';
import { violatedUniqueColumns } from '../../database/constraint-errors.ts';
import type { Tx } from '../../database/database.ts';
import { uuidv7 } from '../../database/uuid.ts';
import { unprocessable } from '../../errors.ts';
import type { RequestSource } from '../../http/request-source.ts';
import type { AccountServices } from '../accounts/account-services.ts';
import { isKeptForAnother } from '../accounts/email-change-store.ts';
import { type Profile, profileFields, takenField } from '../accounts/user-fields.ts';
import { insertUser, type UserRow } from '../accounts/user-store.ts';
import { completeUser } from './complete-user.ts';

interface NewUser {
  /** Checked, as is the password. */
  readonly profile: Profile;
  readonly password: string;
  readonly roles: readonly string[];
  readonly confirmed: boolean;
  /** How the user came to be, for the audit trail. */
  readonly event: 'user.registered' | 'user.created' | 'user.invited';
  readonly actorId?: string | null;
  readonly clientId?: string | null;
  readonly source: RequestSource;
  /** False where nothing is to be sent: the owner can ask for the mail later. */
  readonly mails?: boolean;
  /** False where nobody is to collect one. */
  readonly firstToken?: boolean;
}

type InTransaction = (work: (tx: Tx) => Promise<void>) => Promise<void>;

/** A user with all that belongs to one from the start. The resource engine makes its own, and completes them alike. */
export async function makeUser(
  context: Context,
  services: AccountServices,
  made: NewUser,
  inTransaction: InTransaction = (work) => context.database.db.transaction().execute(work),
): Promise<UserRow> {
  const { now } = context;
  const passwordHash = await services.passwords.hash(made.password, made.source.address);
  const at = now();
  const user: UserRow = {
    id: uuidv7(at),
    ...made.profile,
    password_hash: passwordHash,
    email_confirmed: made.confirmed && made.profile.email !== null ? 1 : 0,
    roles: JSON.stringify([...new Set(made.roles)]),
    disabled: 0,
    locale: null,
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
