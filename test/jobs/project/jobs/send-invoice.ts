import { defineJob } from 'gatehouse-server/jobs';

/** Fails three times for a certain name. */
export default defineJob<{ to: string; amount: number }>({
  name: 'send-invoice',
  attempts: 4,
  timeout: 10,
  async handle({ key, data, attempt, transaction, recordEvent, mail }) {
    if (data.to.startsWith('flaky') && attempt <= 3) throw new Error('the bank is closed');
    if (data.to.startsWith('never')) throw new Error('there is no such bank');
    await transaction(async (tx) => {
      await recordEvent('invoice.sent', { key, attempt }, tx);
      await mail('invoice', data.to, { amount: data.amount }, tx);
    });
  },
});
