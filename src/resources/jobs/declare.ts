/** What a file that declares a job imports, as `gatehouse-server/jobs`. */
export { defineJob, type JobCall, type JobDefinition } from './define-job.ts';
