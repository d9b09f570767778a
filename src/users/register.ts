import type { Config } from '../config.ts';
import type { Context } from '../context.ts';
import { violatedUniqueColumns } from '../database/constraint-errors.ts';
import { uuidv7 } from '../database/uuid.ts';
import { type FieldError, unprocessable } from '../errors.ts';
import { recordEvent } from '../events/record-event.ts';
import type { Origin } from '../http/origin.ts';
import type { AccountServices } from './account-services.ts';
import { enqueueConfirmation } from './confirm-email.ts';
import {
  checkNewPassword,
  type Profile,
  profileFields,
  readProfileField,
  takenField,
  unknownField,
} from './user-fields.ts';
import { findTakenFields, insertUser, type UserRow } from './user-store.ts';

/** Makes a user from what a stranger sent. Whatever is wrong is said at once, one entry a field. */
export async function registerUser(
  context: Context,
  services: AccountServices,
  input: Readonly<Record<string, unknown>>,
  origin: Origin,
): Promise<UserRow> {
  const { database, now } = context;
  const { profile, password } = await readRegistration(context, input);
  const passwordHash = await services.passwords.hash(password);
  const at = now();
  const user: UserRow = {
    id: uuidv7(at),
    ...profile,
    password_hash: passwordHash,
    email_confirmed: 0,
    roles: '[]',
    created_at: at,
    updated_at: at,
    version: 1,
  };
  await refusingTaken(() =>
    database.db.transaction().execute(async (tx) => {
      await insertUser(tx, user);
      await services.issueFirstToken(tx, user.id);
      await enqueueConfirmation(services.mail, tx, user);
      await recordEvent(context, tx, { type: 'user.registered', userId: user.id, origin });
    }),
  );
  services.mail.wake();
  return user;
}

async function readRegistration(
  { config, database }: Context,
  input: Readonly<Record<string, unknown>>,
): Promise<{ profile: Profile; password: string }> {
  const errors: FieldError[] = [];
  const known = new Set<string>([...profileFields, 'password']);
  for (const field of Object.keys(input)) if (!known.has(field)) errors.push(unknownField(field));
  const profile: Profile = { email: null, username: null, phone: null, name: null };
  for (const field of profileFields) {
    const { value, error } = { value: null, ...readProfileField(field, input[field]) };
    if (error) errors.push(error);
    else profile[field] = value;
  }
  const missing = missingIdentifier(config, profile, errors);
  if (missing) errors.push(missing);
  const wrongPassword = await checkNewPassword(input.password, profile);
  if (wrongPassword) errors.push(wrongPassword);
  errors.push(...(await findTakenFields(database.db, profile)).map(takenField));
  if (errors.length > 0) throw unprocessable(errors);
  return { profile, password: input.password as string };
}

/** A user must be able to log in; and where the email must be confirmed first, that takes an email. */
function missingIdentifier(config: Config, profile: Profile, errors: readonly FieldError[]): FieldError | undefined {
  const { loginAttributes, requireEmailConfirmation } = config;
  const [first = 'email'] = requireEmailConfirmation ? ['email' as const] : loginAttributes;
  const enough = requireEmailConfirmation
    ? profile.email !== null
    : loginAttributes.some((attribute) => profile[attribute] !== null);
  if (enough || errors.some(({ field }) => (loginAttributes as readonly string[]).includes(field))) return undefined;
  const choice = requireEmailConfirmation ? 'email' : loginAttributes.join(' or ');
  return { field: first, code: 'required', message: `${choice} is required.` };
}

/** Two at once pass the check above; the database lets one of them through. */
export async function refusingTaken<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const columns = violatedUniqueColumns(error)?.filter((column) => (profileFields as string[]).includes(column));
    if (!columns || columns.length === 0) throw error;
    throw unprocessable(columns.map(takenField));
  }
}
