import type { Context } from '../../database/context.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { unprocessable } from '../../platform/errors.ts';
import type { AccountServices } from '../accounts/account-services.ts';
import { checkNewPassword, type Profile, readProfile } from '../accounts/user-fields.ts';
import { roleNames } from '../roles/roles-resource.ts';
import { storeNewUser } from './store-new-user.ts';

export interface NewUser {
  readonly email?: string | undefined;
  readonly username?: string | undefined;
  readonly phone?: string | undefined;
  readonly name?: string | undefined;
  readonly password: string;
  readonly roles: readonly string[];
  readonly confirmed: boolean;
}

/** Creates a user for the operator, with roles. The operator decides whether the email counts as confirmed. */
export async function createUser(context: Context, services: AccountServices, input: NewUser, source: RequestSource) {
  const profile = await readNewUser(context, input);
  const { password, roles, confirmed } = input;
  return storeNewUser(context, services, { profile, password, roles, confirmed, event: 'user.created', source });
}

async function readNewUser({ config }: Context, input: NewUser): Promise<Profile> {
  const { profile, errors } = readProfile(input);
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
