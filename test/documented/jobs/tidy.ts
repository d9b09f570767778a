import { defineJob } from 'gatehouse-server/jobs';

export default defineJob({ name: 'tidy', schedule: '0 3 * * *', run() {} });
