import { defineJob } from 'gatehouse-server/jobs';

export default defineJob<{ to: string }>({
  name: 'remind',
  async run({ data, mail, recordEvent }) {
    await recordEvent('visit.reminded', { to: data.to });
    await mail('reminder', data.to, { when: 'tomorrow' });
  },
});
