import { authenticatorLabel } from '../../database/keys/sealed-columns.ts';
import { unavailable } from '../../platform/errors.ts';
import type { AuthenticatorRow } from './authenticator-store.ts';
import type { FactorCheckServices } from './factor-services.ts';

/** Undefined if the secret was encrypted with another encryption secret than those of this instance. */
export function readAuthenticatorSecret(
  { context, keys }: Pick<FactorCheckServices, 'context' | 'keys'>,
  { id, sealed_secret }: AuthenticatorRow,
): string | undefined {
  try {
    return keys.unseal(sealed_secret, authenticatorLabel(id));
  } catch (error) {
    context.log.error({ err: error, authenticator: id }, 'the secret of an authenticator app cannot be decrypted');
    return undefined;
  }
}

export const unreadableAuthenticator = () =>
  unavailable(
    'The service cannot check codes of this authenticator app now. Use another second factor, if you have one.',
    60,
  );
