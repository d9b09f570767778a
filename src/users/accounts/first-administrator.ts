import { randomBytes } from 'node:crypto';
import type { Context } from '../../context.ts';
import { violatedUniqueColumns } from '../../database/constraint-errors.ts';
import { uuidv7 } from '../../database/uuid.ts';
import { OperatorError } from '../../errors.ts';
import { recordEvent } from '../../events/record-event.ts';
import { systemSource } from '../../http/request-source.ts';
import type { Passwords } from '../credentials/passwords.ts';
import { checkNewPassword } from './user-fields.ts';
import { findUserByLogin, hasAdministrator, insertUser } from './user-store.ts';

export interface FirstAdministrator {
  readonly email: string;
  /** There when it was made up here: shown once, and stored nowhere. */
  readonly password?: string;
}

/** Makes an administrator where there is none, so that a fresh service can be managed. */
export async function ensureFirstAdministrator(
  context: Context,
  passwords: Passwords,
): Promise<FirstAdministrator | undefined> {
  const { config, database, now } = context;
  if (await hasAdministrator(database.db)) return undefined;
  const email = config.adminEmail;
  if (config.adminPassword !== '') await refuseWeakPassword(config.adminPassword, email);
  const password = config.adminPassword || randomBytes(15).toString('base64url');
  const passwordHash = await passwords.hash(password);
  const at = now();
  const id = uuidv7(at);
  try {
    await database.db.transaction().execute(async (tx) => {
      await insertUser(tx, {
        id,
        email,
        username: null,
        phone: null,
        name: 'Administrator',
        password_hash: passwordHash,
        email_confirmed: 1,
        roles: '["admin"]',
        created_at: at,
        updated_at: at,
        version: 1,
      });
      const data = { changes: { email: { to: email }, roles: { to: ['admin'] } } };
      await recordEvent(context, tx, { type: 'user.created', userId: id, origin: systemSource, data });
    });
  } catch (error) {
    if (!violatedUniqueColumns(error)) throw error;
    await refuseOrdinaryUser(context, email);
    return undefined;
  }
  return config.adminPassword ? { email } : { email, password };
}

async function refuseWeakPassword(password: string, email: string): Promise<void> {
  const wrong = await checkNewPassword(password, { email }, 'ADMIN_PASSWORD');
  if (wrong) throw new OperatorError(wrong.message);
}

/** Another instance that starts at the same time may have made the same administrator: that is fine. */
async function refuseOrdinaryUser({ database }: Context, email: string): Promise<void> {
  if (await hasAdministrator(database.db)) return;
  if (await findUserByLogin(database.db, { attribute: 'email', value: email })) {
    throw new OperatorError(
      `There is no administrator, and ADMIN_EMAIL (${email}) belongs to an ordinary user. Set ADMIN_EMAIL to another address.`,
    );
  }
}
