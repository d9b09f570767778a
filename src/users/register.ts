import type { Config } from '../config.ts';
import type { Context } from '../context.ts';
import { type FieldError, unprocessable } from '../errors.ts';
import type { Origin } from '../http/origin.ts';
import type { AccountServices } from './account-services.ts';
import { makeUser } from './make-user.ts';
import { checkNewPassword, type Profile, profileFields, readProfile, takenField, unknownField } from './user-fields.ts';
import { findTakenFields, type UserRow } from './user-store.ts';

/** Makes a user from what a stranger sent. Whatever is wrong is said at once, one entry a field. */
export async function registerUser(
  context: Context,
  services: AccountServices,
  input: Readonly<Record<string, unknown>>,
  origin: Origin,
): Promise<UserRow> {
  const { profile, password } = await readRegistration(context, input);
  const nobodyYet = { roles: [], confirmed: false };
  const user = await makeUser(context, services, { profile, password, ...nobodyYet, event: 'user.registered', origin });
  services.mail.wake();
  return user;
}

async function readRegistration(
  { config, database }: Context,
  input: Readonly<Record<string, unknown>>,
): Promise<{ profile: Profile; password: string }> {
  const known = new Set<string>([...profileFields, 'password']);
  const unknown = Object.keys(input).filter((field) => !known.has(field));
  const { profile, errors } = readProfile(input);
  errors.unshift(...unknown.map(unknownField));
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
