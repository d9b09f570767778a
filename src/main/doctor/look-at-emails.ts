import type { Db } from '../../database/database.ts';
import { findEmailsOutOfForm } from '../../identity/accounts/email-form-store.ts';
import { type Finding, notice, ok } from './finding.ts';

const shown = 10;

/** Addresses that were stored before they had one form, and clash with another or are none by today's rules. */
export async function lookAtEmails(db: Db): Promise<Finding> {
  const ids = await findEmailsOutOfForm(db);
  if (ids.length === 0) return ok('emails', 'all in one form');
  const named = ids.slice(0, shown).join(', ') + (ids.length > shown ? ', …' : '');
  return notice(
    'emails',
    '{count, number} not in the one form, which another user has or which there is none of: {named}',
    "They log in as before. Change them by PATCH /v1/users/'{id}', or delete the doubles.",
    { count: ids.length, named },
  );
}
