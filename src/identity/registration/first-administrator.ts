import { randomBytes } from 'node:crypto';
import type { Context } from '../../database/context.ts';
import { systemSource } from '../../http/request-source.ts';
import { OperatorError } from '../../platform/errors.ts';
import type { AccountServices } from '../accounts/account-services.ts';
import { saveFirstPassword } from '../accounts/first-password.ts';
import { checkNewPassword } from '../accounts/user-fields.ts';
import { findUserByLogin, hasAdministrator } from '../accounts/user-store.ts';
import { isTaken } from './register.ts';
import { storeNewUser } from './store-new-user.ts';

/** Creates an administrator if there is none, so that a new service can be managed. */
export async function ensureFirstAdministrator(services: AccountServices) {
  const { context } = services;
  const { config, database } = context;
  if (await hasAdministrator(database.db)) return undefined;
  const email = config.adminEmail;
  if (config.adminPassword !== '') await rejectWeakPassword(config.adminPassword, email);
  const password = config.adminPassword || randomBytes(15).toString('base64url');
  const profile = { email, username: null, phone: null, name: 'Administrator' };
  try {
    const rights = { roles: ['admin'], confirmed: true, firstToken: false };
    await storeNewUser(services, { profile, password, ...rights, event: 'user.created', source: systemSource });
  } catch (error) {
    if (!isTaken(error)) throw error;
    await rejectOrdinaryUser(context, email);
    return undefined;
  }
  if (config.adminPassword) return { email, isNew: true };
  return { email, password, file: saveFirstPassword(context, { email, password }), isNew: true };
}

async function rejectWeakPassword(password: string, email: string): Promise<void> {
  const problem = await checkNewPassword(password, { email }, 'ADMIN_PASSWORD');
  if (problem) throw new OperatorError(problem.message);
}

/** Another instance that starts at the same time may have created the same administrator. That is no error. */
async function rejectOrdinaryUser({ database }: Context, email: string): Promise<void> {
  if (await hasAdministrator(database.db)) return;
  if (await findUserByLogin(database.db, { attribute: 'email', value: email })) {
    throw new OperatorError(
      `There is no administrator, and ADMIN_EMAIL (${email}) belongs to an ordinary user. Set ADMIN_EMAIL to another address.`,
    );
  }
}
