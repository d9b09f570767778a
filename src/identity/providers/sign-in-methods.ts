import type { Context } from '../../database/context.ts';
import type { Db, Tx } from '../../database/database.ts';
import { conflict } from '../../platform/errors.ts';
import { findUser } from '../accounts/user-store.ts';
import { hasLocalPassword } from '../credentials/require-password-or-proof.ts';
import { countHeldFactors } from '../factors/factor-count-store.ts';
import { countUsableIdentities } from './identity-store.ts';

/** The ways in which a user can sign in. */
export async function findSignInMethods(context: Pick<Context, 'config'>, db: Db | Tx, userId: string) {
  const user = await findUser(db, userId);
  const held = await countHeldFactors(db, userId);
  return {
    password: user !== undefined && hasLocalPassword(context, user),
    passkeys: held.passkeys + held.automaticPasskeys,
    identities: await countUsableIdentities(db, userId),
  };
}

/** After a removal, in its transaction: throws if the user could no longer sign in. */
export async function requireSignInMethod(context: Pick<Context, 'config'>, tx: Tx, userId: string): Promise<void> {
  const { password, passkeys, identities } = await findSignInMethods(context, tx, userId);
  if (password || passkeys > 0 || identities > 0) return;
  throw conflict(
    'This is the last way to sign in. Set a password, or add a passkey or another provider, before you remove it.',
    'last_sign_in_method',
  );
}
