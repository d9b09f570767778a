import type { Context } from '../../database/context.ts';
import { foldEmail } from '../../platform/email-address.ts';
import { insertJobs } from '../../resources/queue/job-store.ts';
import { mailJobName } from './mail.ts';
import { hasEarlierMails, takeEarlierMails } from './mail-store.ts';

const batch = 100;

/**
 * Versions before the queue have a table of their own for mail, and may run beside this one. What they leave, and nobody
 * is sending, is sent from the queue: under the same id, which its link is made of.
 */
export async function takeOverMails({ database, now }: Pick<Context, 'database' | 'now'>): Promise<void> {
  for (;;) {
    if (!(await hasEarlierMails(database.db, now()))) return;
    await database.db.transaction().execute(async (tx) => {
      for (const {
        id,
        template,
        recipient,
        data,
        attempts,
        next_attempt_at,
        created_at,
        last_error,
      } of await takeEarlierMails(tx, now(), batch)) {
        await insertJobs(tx, [
          {
            id,
            name: mailJobName,
            subject: foldEmail(recipient),
            data: JSON.stringify({ template, recipient, data: JSON.parse(data) as unknown }),
            attempts,
            next_attempt_at,
            lease: null,
            leased_until: null,
            failed_at: null,
            last_error,
            created_at,
          },
        ]);
      }
      await database.bus.wakeQueues(tx);
    });
  }
}
