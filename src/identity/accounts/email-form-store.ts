import type { Db } from '../../database/database.ts';
import { normaliseEmail } from '../../platform/email-address.ts';

const batch = 1000;

/** Users whose address an earlier version stored, and which could not be brought to today's form. */
export async function findEmailsOutOfForm(db: Db): Promise<string[]> {
  const found: string[] = [];
  let after = '';
  for (;;) {
    const users = await db
      .selectFrom('users')
      .select(['id', 'email'])
      .where('id', '>', after)
      .where('email', 'is not', null)
      .orderBy('id')
      .limit(batch)
      .execute();
    found.push(...users.filter(({ email }) => normaliseEmail(email as string) !== email).map(({ id }) => id));
    if (users.length < batch) return found;
    after = users.at(-1)?.id as string;
  }
}
