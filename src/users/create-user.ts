import type { Context } from '../context.ts';
import { uuidv7 } from '../database/uuid.ts';
import { type FieldError, unprocessable } from '../errors.ts';
import { recordEvent } from '../events/record-event.ts';
import type { Origin } from '../http/origin.ts';
import type { AccountServices } from './account-services.ts';
import { enqueueConfirmation } from './confirm-email.ts';
import { refusingTaken } from './register.ts';
import { roleNames } from './roles-resource.ts';
import { checkNewPassword, type Profile, profileFields, readProfileField } from './user-fields.ts';
import { insertUser, type UserRow } from './user-store.ts';

export interface NewUser {
  readonly email?: string | undefined;
  readonly username?: string | undefined;
  readonly phone?: string | undefined;
  readonly name?: string | undefined;
  readonly password: string;
  readonly roles: readonly string[];
  readonly confirmed: boolean;
}

/** Makes a user on the operator's word: with roles, and with an email that counts as confirmed if the operator says so. */
export async function createUser(
  context: Context,
  services: AccountServices,
  input: NewUser,
  origin: Origin,
): Promise<UserRow> {
  const { database, now } = context;
  const profile = await readNewUser(context, input);
  const passwordHash = await services.passwords.hash(input.password);
  const at = now();
  const user: UserRow = {
    id: uuidv7(at),
    ...profile,
    password_hash: passwordHash,
    email_confirmed: input.confirmed && profile.email !== null ? 1 : 0,
    roles: JSON.stringify([...new Set(input.roles)]),
    created_at: at,
    updated_at: at,
    version: 1,
  };
  await refusingTaken(() =>
    database.db.transaction().execute(async (tx) => {
      await insertUser(tx, user);
      await services.issueFirstToken(tx, user.id);
      if (!user.email_confirmed) await enqueueConfirmation(services.mail, tx, user);
      await recordEvent(context, tx, { type: 'user.created', userId: user.id, origin });
    }),
  );
  return user;
}

async function readNewUser({ config }: Context, input: NewUser): Promise<Profile> {
  const errors: FieldError[] = [];
  const profile: Profile = { email: null, username: null, phone: null, name: null };
  for (const field of profileFields) {
    const { value, error } = { value: null, ...readProfileField(field, input[field]) };
    if (error) errors.push(error);
    else profile[field] = value;
  }
  if (errors.length === 0 && !config.loginAttributes.some((attribute) => profile[attribute] !== null)) {
    const message = `${config.loginAttributes.join(' or ')} is required.`;
    errors.push({ field: config.loginAttributes[0] ?? 'email', code: 'required', message });
  }
  const known = roleNames(config);
  for (const role of input.roles) {
    if (known.includes(role)) continue;
    errors.push({
      field: 'roles',
      code: 'unknown',
      message: `"${role}" is not a role. There are: ${known.join(', ')}.`,
    });
  }
  const wrongPassword = await checkNewPassword(input.password, profile);
  if (wrongPassword) errors.push(wrongPassword);
  if (errors.length > 0) throw unprocessable(errors);
  return profile;
}
