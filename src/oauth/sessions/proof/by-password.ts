import type { Context } from '../../../database/context.ts';
import type { Tx } from '../../../database/database.ts';
import { unauthorized } from '../../../http/gate/unauthorized.ts';
import { findUser, holdsHash } from '../../../identity/accounts/user-store.ts';
import { requireCurrentPassword, wrongPassword } from '../../../identity/credentials/change-password.ts';
import { hasPassword, type Passwords } from '../../../identity/passwords/passwords.ts';
import type { ProofMethod } from './proof-methods.ts';

const field = 'password';

export const byPassword = (context: Context, passwords: Passwords): ProofMethod => ({
  async isOffered(userId) {
    const user = await findUser(context.database.db, userId);
    return user !== undefined && hasPassword(user.password_hash);
  },
  async check({ userId, value, source }) {
    const user = await findUser(context.database.db, userId);
    if (!user) throw unauthorized('user_gone');
    await requireCurrentPassword(context, passwords, user, { field, given: value, source });
    const use = async (tx: Tx) => {
      // It was changed while it was being looked at.
      if (!(await holdsHash(tx, context.database.engine, user))) throw wrongPassword(field);
    };
    return { amr: ['pwd'], step: 'first', use };
  },
});
