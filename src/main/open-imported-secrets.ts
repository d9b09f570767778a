import type { Context } from '../database/context.ts';
import type { KeyRing } from '../database/keys/key-ring.ts';
import type { Passwords } from '../identity/passwords/passwords.ts';
import type { FindImportedSecret } from '../oauth/clients/client-directory.ts';
import { importedKeyId } from '../oauth/clients/secrets/secret-store.ts';
import { lazy } from '../platform/lazy.ts';

/** Loads the Passport extension for the first client that has an imported secret. */
export function openImportedSecrets(context: Context, keys: KeyRing, passwords: Passwords): FindImportedSecret {
  const open = lazy(async () => {
    const { createImportedSecrets } = await import('../../extensions/passport/imported-secrets.ts');
    return createImportedSecrets(context, keys, passwords);
  });
  return async (client, secret) =>
    client.secrets.some(({ key_id }) => key_id === importedKeyId) ? (await open())(client, secret) : undefined;
}
