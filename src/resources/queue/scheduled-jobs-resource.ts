import { Type } from 'typebox';
import type { Tx } from '../../database/database.ts';
import { recordEvent } from '../audit/record-event.ts';
import { forAdministrators, role } from '../declaration/access.ts';
import { defineResource } from '../declaration/define-resource.ts';
import { belongsTo, hasMany } from '../declaration/relations.ts';
import { integer, oneOf, reference, text, timestamp } from '../declare.ts';

const states = ['waiting', 'running', 'done', 'failed'] as const;
const access = { read: forAdministrators('Scheduled jobs are for administrators.'), write: role('admin') };

export const scheduledJobsResource = (jobs: { requestRun(tx: Tx, name: string): Promise<string> }) =>
  defineResource({
    name: 'scheduled-jobs',
    table: 'scheduled_jobs',
    singular: 'scheduled job',
    description: 'Jobs that run on a schedule, with the next run and the result of the last run.',
    managed: false,
    mcp: false,
    versioned: false,
    idType: 'text',
    fields: {
      name: text({ column: 'id', required: true, readOnly: true, searchable: true, sortable: true, folded: 'stored' }),
      schedule: text({ required: true, readOnly: true, description: 'Minute, hour, day, month and weekday (cron)' }),
      time_zone: text({ required: true, readOnly: true }),
      next_run_at: timestamp({ required: true, readOnly: true }),
      last_run_at: timestamp({ readOnly: true }),
      last_state: oneOf(states, { readOnly: true, description: 'The result of the last run' }),
      created_at: timestamp({ required: true, readOnly: true }),
    },
    relations: { runs: hasMany('job-runs', { by: 'job_id' }) },
    access,
    operations: ['list', 'find'],
    actions: [
      {
        name: 'starts',
        summary: 'Run it now',
        response: Type.Object({ id: Type.String(), job_id: Type.String(), state: Type.String() }),
        status: 202,
        run: ({ row, transaction }) =>
          transaction(async (call) => {
            const id = await jobs.requestRun(call.tx, row.id);
            const { userId, clientId } = call.caller;
            const data = { id, name: row.id };
            await recordEvent(call.context, call.tx, { type: 'job.run', userId, clientId, source: call.source, data });
            return { id, job_id: row.id, state: 'waiting' };
          }),
      },
    ],
  });

export const jobRunsResource = defineResource({
  name: 'job-runs',
  table: 'job_runs',
  singular: 'run',
  description: 'Runs of scheduled jobs. They are kept for 30 days.',
  managed: false,
  mcp: false,
  versioned: false,
  fields: {
    job_id: reference('scheduled-jobs', { required: true, readOnly: true, searchable: true, onDelete: 'cascade' }),
    scheduled_for: timestamp({ readOnly: true, description: 'Empty for a run that somebody started' }),
    state: oneOf(states, { readOnly: true, default: 'waiting' }),
    attempts: integer({ readOnly: true }),
    started_at: timestamp({ readOnly: true }),
    finished_at: timestamp({ readOnly: true }),
    error: text({ readOnly: true, description: 'Why the last attempt failed' }),
    created_at: timestamp({ required: true, readOnly: true, searchable: true, sortable: true }),
  },
  relations: { job: belongsTo('scheduled-jobs', { by: 'job_id' }) },
  access: { ...access, write: 'nobody' },
  operations: ['list', 'find'],
  defaultOrder: '-created_at',
});
