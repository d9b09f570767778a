import type { Context } from '../../database/context.ts';
import { unauthorized } from '../../http/gate/unauthorized.ts';
import { sentAlong } from '../../platform/proof.ts';
import type { ProveByPassword } from '../../resources/model/resource-services.ts';
import { findUser } from '../accounts/user-store.ts';
import type { Passwords } from '../passwords/passwords.ts';
import { requireCurrentPassword } from './change-password.ts';

/** The caller of a request that `current_password` came along with. It counts for this request alone. */
export const createProveByPassword =
  (context: Context, passwords: Passwords): ProveByPassword =>
  async ({ caller, source }, given) => {
    if (caller.kind !== 'user' || caller.userId === null || !context.config.localPasswords) return caller;
    const user = await findUser(context.database.db, caller.userId);
    if (!user) throw unauthorized('user_gone');
    await requireCurrentPassword(context, passwords, user, { field: 'current_password', given, source });
    return Object.freeze({ ...caller, proof: sentAlong(caller.proof, context.now()) });
  };
