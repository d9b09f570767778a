import { randomBytes } from 'node:crypto';
import type { Tx } from '../../../../src/database/database.ts';
import { uuidv7 } from '../../../../src/database/uuid.ts';
import { findTakenFields, insertNewUsers, type UserRow } from '../../../../src/identity/accounts/user-store.ts';
import type { Pass } from '../pass.ts';
import { generatedUsername } from './user-record.ts';

/** Imports a user whose identifier another user already has. The user stays without it until the operator decides. */
export async function importWithoutTakenIdentifiers(
  pass: Pass,
  tx: Tx,
  source: string,
  oldId: string,
  newUser: UserRow,
): Promise<UserRow> {
  const row: UserRow = { ...newUser, id: uuidv7(pass.at) };
  for (const field of await findTakenFields(tx, newUser)) {
    reportSameIdentifier(pass, field, `${source} ${oldId}: ${newUser[field]}`);
    row[field] = null;
    if (field === 'email') row.email_confirmed = 0;
  }
  if (row.email === null && row.username === null && row.phone === null)
    row.username = generatedUsername(source, oldId);
  if ((await insertNewUsers(tx, [row])).size > 0) return row;
  // The generated name is taken, so use a random one.
  const last = {
    ...row,
    username: `u${randomBytes(10).toString('hex')}`,
    email: null,
    phone: null,
    email_confirmed: 0,
  };
  await insertNewUsers(tx, [last]);
  return last;
}

export const reportSameIdentifier = ({ findings }: Pass, field: string, example: string): boolean =>
  findings.decide(
    'same-identifier',
    `Two users with the same ${field} (ignoring case): the second was imported without it. Change it in the old service, and run the command again`,
    example,
  );
