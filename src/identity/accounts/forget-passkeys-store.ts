import type { Config } from '../../config/config.ts';
import type { Tx } from '../../database/database.ts';

/**
 * Deletes the passkeys of a user that sign in alone and are never asked for beside the password: those that a browser made by
 * itself, and all of them with MFA=off. The others are second factors.
 */
export async function deleteUnaskedPasskeys(tx: Tx, userId: string, { mfa }: Pick<Config, 'mfa'>): Promise<void> {
  const ofUser = tx.deleteFrom('passkeys').where('user_id', '=', userId);
  await (mfa === 'off' ? ofUser : ofUser.where('automatic', '=', 1)).execute();
}
