import { sql } from 'kysely';
import { foldEmail, normaliseEmail } from '../../platform/email-address.ts';
import type { Tx } from '../database.ts';
import type { Migration, Report } from '../migration.ts';

const batch = 1000;

/**
 * Brings stored addresses to one form. One that is no address by today's rules, or whose form another user has, stays as it
 * is and goes on opening its account; whoever migrates is told of it, and so is whoever asks the doctor.
 */
export const emailsInOneForm: Migration = {
  name: '010-emails-in-one-form',
  // Two users never differ by the case of their address alone.
  statements: () => ['create unique index users_email_folded on users (lower(email))'],
  async change(tx, report) {
    let after = '';
    for (;;) {
      const users = await tx
        .selectFrom('users')
        .select(['id', 'email'])
        .where('id', '>', after)
        .where('email', 'is not', null)
        .orderBy('id')
        .limit(batch)
        .execute();
      for (const { id, email } of users) await bringToForm(tx, id, email as string, report);
      if (users.length < batch) return;
      after = users.at(-1)?.id as string;
    }
  },
};

async function bringToForm(tx: Tx, id: string, email: string, report: Report): Promise<void> {
  const form = normaliseEmail(email);
  if (form === email) return;
  if (form === undefined) return report(`The email of user ${id} is kept as it is: it is no address by today's rules.`);
  const other = await tx
    .selectFrom('users')
    .select('id')
    .where(sql`lower(email)`, '=', foldEmail(form))
    .where('id', '!=', id)
    .executeTakeFirst();
  if (other) return report(`The email of user ${id} is kept as it is: user ${other.id} has the same address.`);
  await tx
    .updateTable('users')
    .set((eb) => ({ email: form, version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .execute();
  // Links that are under way go on working.
  await tx
    .updateTable('one_time_tokens')
    .set({ email: form })
    .where('user_id', '=', id)
    .where('email', '=', email)
    .execute();
  await tx.updateTable('mails').set({ recipient: form }).where('recipient', '=', email).execute();
}
