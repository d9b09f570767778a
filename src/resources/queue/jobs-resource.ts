import { recordEvent } from '../audit/record-event.ts';
import { forAdministrators, role } from '../declaration/access.ts';
import { action, defineResource, type WriteCall } from '../declaration/define-resource.ts';
import { computed, integer, text, timestamp } from '../declare.ts';
import { scheduleSubject } from './job.ts';
import { deleteJob, retryJob } from './job-store.ts';
import { failRun, hasOpenRun, reopenRun, runNotEnded } from './queued-run-store.ts';

const fields = {
  name: text({ required: true, readOnly: true, searchable: true, sortable: true, folded: 'stored' }),
  subject: text({ readOnly: true, searchable: true, folded: 'stored', description: 'The subject of the job' }),
  state: computed(
    { as: 'text', from: ['failed_at', 'leased_until'], description: 'waiting, running or failed' },
    ({ failed_at, leased_until }) => (failed_at ? 'failed' : leased_until ? 'running' : 'waiting'),
  ),
  attempts: integer({ required: true, readOnly: true, searchable: true, sortable: true }),
  next_attempt_at: timestamp({ required: true, readOnly: true, searchable: true, sortable: true }),
  failed_at: timestamp({
    readOnly: true,
    searchable: true,
    sortable: true,
    description: 'The time at which the job failed',
  }),
  last_error: text({ readOnly: true, description: 'Why the last attempt failed' }),
  leased_until: timestamp({ hidden: true }),
  created_at: timestamp({ required: true, readOnly: true, searchable: true, sortable: true }),
};

const record = ({ context, tx, caller, source }: WriteCall, type: string, { id, name }: { id: string; name: string }) =>
  recordEvent(context, tx, { type, userId: caller.userId, clientId: caller.clientId, source, data: { id, name } });

/** The queued jobs, for administrators. They see the kind of a job, but not its payload. */
export const jobsResource = defineResource({
  name: 'queued-jobs',
  singular: 'job',
  description: 'Waiting and failed jobs: mail, and the jobs of the operator. Finished jobs are removed.',
  managed: false,
  mcp: false,
  versioned: false,
  fields,
  access: { read: forAdministrators('The queue is for administrators.'), write: role('admin') },
  operations: ['list', 'find', 'delete'],
  defaultOrder: '-created_at',
  async remove(call, job) {
    if (job.subject === scheduleSubject) {
      // The handler would continue, and the next run would start beside it.
      if (new Date(job.leased_until ?? 0).getTime() > call.now) throw runNotEnded();
      await failRun(call.tx, job, 'an administrator deleted the queued job', call.now);
    }
    await deleteJob(call.tx, job.id);
    await record(call, 'job.deleted', job);
  },
  actions: [
    action<never, typeof fields>({
      name: 'retries',
      summary: 'Try it again now',
      run: ({ row, transaction }) =>
        transaction(async (call) => {
          if (row.subject === scheduleSubject) {
            if (await hasOpenRun(call.tx, row.name, row.id)) throw runNotEnded();
            await reopenRun(call.tx, row);
          }
          await retryJob(call.tx, row.id, call.now);
          await record(call, 'job.retried', row);
          await call.context.database.bus.wakeQueues(call.tx);
        }),
    }),
  ],
});
