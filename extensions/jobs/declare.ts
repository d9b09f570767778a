/** The module `gatehouse-server/jobs`, for files that declare a job. */
export { defineJob, type JobCall, type JobDefinition } from './define-job.ts';
