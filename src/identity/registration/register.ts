import type { Context } from '../../database/context.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { type FieldError, unprocessable } from '../../platform/errors.ts';
import { isOneOf } from '../../platform/is-one-of.ts';
import type { AccountServices } from '../accounts/account-services.ts';
import {
  checkNewPassword,
  missingIdentifier,
  profileFields,
  readProfile,
  unknownField,
} from '../accounts/user-fields.ts';
import type { UserRow } from '../accounts/user-store.ts';
import { isTaken, mayMailMailbox, registerWithinLimits, requireUntaken, takenError } from './registration-limits.ts';
import { storeNewUser } from './store-new-user.ts';

/** Reports all errors at once, one per field. Taken identifiers are reported last, and only a few times to one network. */
export async function registerUser(
  context: Context,
  services: AccountServices,
  input: Readonly<Record<string, unknown>>,
  source: RequestSource,
): Promise<UserRow> {
  const { profile, password } = await readRegistration(context, input);
  return registerWithinLimits(context, source, async () => {
    await requireUntaken(context, profile, source);
    const mails = profile.email === null || (await mayMailMailbox(context, profile.email));
    const created = { roles: [], confirmed: false, mails, event: 'user.registered', source } as const;
    return storeNewUser(context, services, { profile, password, ...created }).catch(async (error) => {
      // A concurrent request was faster, or an earlier owner can still get the address back.
      throw isTaken(error) ? await takenError(context, error.errors, source) : error;
    });
  });
}

async function readRegistration({ config }: Context, input: Readonly<Record<string, unknown>>) {
  const knownFields = new Set<string>([...profileFields, 'password', 'password_confirmation']);
  const unknown = Object.keys(input).filter((field) => !knownFields.has(field));
  const { profile, errors } = readProfile(input);
  errors.unshift(...unknown.map(unknownField));
  const missing = missingIdentifier(config, profile);
  if (missing && !errors.some(({ field }) => isOneOf(config.loginAttributes, field))) errors.push(missing);
  const wrongPassword = await checkNewPassword(input.password, profile);
  if (wrongPassword) errors.push(wrongPassword);
  const { password_confirmation: confirmation = input.password } = input;
  if (confirmation !== input.password) errors.push(otherPassword);
  if (errors.length > 0) throw unprocessable(errors);
  return { profile, password: input.password as string };
}

/** Forms that ask for the password twice send both values. */
const otherPassword: FieldError = {
  field: 'password_confirmation',
  code: 'mismatch',
  message: 'password_confirmation must equal the password.',
};
