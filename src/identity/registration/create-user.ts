import { roleNames } from '../../config/config.ts';
import type { Context } from '../../database/context.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { unprocessable } from '../../platform/errors.ts';
import type { AccountServices } from '../accounts/account-services.ts';
import { checkNewPassword, missingIdentifier, type Profile, readProfile } from '../accounts/user-fields.ts';
import { storeNewUser } from './store-new-user.ts';

export interface NewUser extends Partial<Readonly<Record<keyof Profile, string | undefined>>> {
  readonly password: string;
  readonly roles: readonly string[];
  readonly confirmed: boolean;
}

/** Creates a user for the operator, with roles. The operator decides whether the email counts as confirmed. */
export async function createUser(services: AccountServices, input: NewUser, source: RequestSource) {
  const profile = await readNewUser(services.context, input);
  const { password, roles, confirmed } = input;
  return storeNewUser(services, { profile, password, roles, confirmed, event: 'user.created', source });
}

async function readNewUser({ config }: Context, input: NewUser): Promise<Profile> {
  const { profile, errors } = readProfile(input);
  const missing = missingIdentifier(config, profile);
  if (errors.length === 0 && missing) errors.push(missing);
  const declaredRoles = roleNames(config);
  for (const role of input.roles.filter((name) => !declaredRoles.includes(name))) {
    const message = `"${role}" is not a role. There are: ${declaredRoles.join(', ')}.`;
    errors.push({ field: 'roles', code: 'unknown', message });
  }
  const wrongPassword = await checkNewPassword(input.password, profile);
  if (wrongPassword) errors.push(wrongPassword);
  if (errors.length > 0) throw unprocessable(errors);
  return profile;
}
