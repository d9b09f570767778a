import { defineJob } from 'gatehouse-server/jobs';

/** Writes one bill every night at three in Berlin. */
export default defineJob<{ scheduledFor: number | null }>({
  name: 'nightly',
  schedule: '0 3 * * *',
  timeZone: 'Europe/Berlin',
  attempts: 2,
  async run({ data, resource, transaction }) {
    const { pagination } = await resource('bills').list({ search: { title: 'stop' } });
    if (pagination.count > 0) throw new Error('told to stop');
    await transaction(async (tx) => {
      await resource('bills', { tx }).create({ title: 'night', amount: 0, number: `night ${data.scheduledFor}` });
    });
  },
});
