import { hash } from 'node:crypto';
import type { Tx } from '../../../../src/database/database.ts';
import { authenticatorLabel } from '../../../../src/database/keys/sealed-columns.ts';
import { uuidv7 } from '../../../../src/database/uuid.ts';
import { deleteAuthenticator, insertAuthenticator } from '../../../../src/identity/factors/authenticator-store.ts';
import { deleteLegacyIds, findLegacyIds, saveLegacyIds } from '../../legacy-tokens/legacy-id-store.ts';
import { decryptLaravel } from '../../source/laravel-encryption.ts';
import type { Pass } from '../pass.ts';
import type { UserRecord } from './user-record.ts';

/** Twenty bytes are usual. Fewer than ten are not a valid secret. */
const base32 = /^[A-Z2-7]{16,128}$/;

/** Imports, replaces or removes the Fortify authenticator of a user. False while a decision is open. */
export async function importFactor(
  pass: Pass,
  tx: Tx,
  source: string,
  { oldId, twoFactor }: UserRecord,
  userId: string,
): Promise<boolean> {
  const origin = `${source}.two_factor_secret`;
  const before = (await findLegacyIds(tx, origin, [oldId])).get(oldId);
  if (!before && twoFactor === null) return true;
  const secret = twoFactor === null ? null : secretOf(pass, source, oldId, twoFactor);
  if (secret === undefined) return false;
  const fingerprint = secret === null ? '' : hash('sha256', secret, 'base64url').slice(0, 22);
  if (before?.fingerprint === fingerprint) return true;
  if (before) {
    await deleteAuthenticator(tx, before.new_id);
    await deleteLegacyIds(tx, origin, [oldId]);
  }
  if (secret === null) return true;
  const id = uuidv7(pass.at);
  await insertAuthenticator(tx, {
    id,
    user_id: userId,
    name: 'Authenticator app',
    sealed_secret: pass.keys.seal(secret, authenticatorLabel(id)),
    created_at: pass.at,
    confirmed_at: pass.at,
  });
  await saveLegacyIds(tx, [{ source: origin, old_id: oldId, new_id: id, fingerprint, version: 1, pass: pass.number }]);
  pass.findings.addNote('Authenticator apps of Fortify that were imported');
  return true;
}

/** Undefined if it cannot be decrypted. The report then tells the operator. */
function secretOf(
  { plan, findings }: Pass,
  source: string,
  oldId: string,
  twoFactor: NonNullable<UserRecord['twoFactor']>,
): string | undefined {
  const example = `${source} ${oldId}`;
  if (!twoFactor.confirmed) {
    findings.decide(
      'two-factor',
      'Authenticator apps that were never confirmed (two_factor_confirmed_at is empty) were not imported',
      example,
    );
    return undefined;
  }
  const secret = decryptLaravel(twoFactor.sealed, plan.decryptionKeys)
    ?.toUpperCase()
    .replace(/[\s=-]/g, '');
  if (secret !== undefined && base32.test(secret)) return secret;
  findings.decide(
    'two-factor',
    'Authenticator apps whose two_factor_secret cannot be decrypted with APP_KEY were not imported. Add the right key to APP_PREVIOUS_KEYS',
    example,
  );
  return undefined;
}
