import type { Command } from 'commander';
import { OperatorError, Problem, reasonOf } from '../../platform/errors.ts';
import { tryParseJson } from '../../platform/json-text.ts';
import { findSchedules } from '../../resources/jobs/schedule-store.ts';
import { runJob } from '../../resources/jobs/serve-jobs.ts';
import { withGatehouse } from '../operator/with-gatehouse.ts';
import { addListOptions, type ListFlags, printRows, showTime } from '../terminal/print.ts';
import { UsageError } from '../terminal/usage-error.ts';

function addJobList(group: Command): void {
  addListOptions(group.command('list'))
    .description('List the jobs of JOBS_DIR, with the next run of scheduled jobs.')
    .addHelpText('after', '\nExamples:\n  gatehouse job list\n  gatehouse job list --json')
    .action(async (flags: ListFlags) => {
      const rows = await withGatehouse(async ({ context, scheduler, jobs }) => {
        await scheduler.syncSchedules();
        const schedules = new Map(
          (await findSchedules(context.database.db, scheduler.names)).map((row) => [row.id, row]),
        );
        return jobs.map(({ name, schedule = null }) => {
          const row = schedules.get(name);
          return {
            name,
            schedule,
            time_zone: row?.time_zone ?? null,
            next_run_at: showTime(row?.next_run_at ?? null),
            last_run_at: showTime(row?.last_run_at ?? null),
            last_state: row?.last_state ?? null,
          };
        });
      });
      printRows(rows, flags, 'name');
    });
}

function addJobRun(group: Command): void {
  group
    .command('run')
    .argument('<name>', 'the name that the job is declared with')
    .description('Run a job of JOBS_DIR once, in this process. Exits with 1 if the job fails.')
    .option('--data <json>', 'the data of the job')
    .addHelpText(
      'after',
      `\nExamples:\n  gatehouse job run nightly-report\n  gatehouse job run send-invoice --data '{"orderId":"1"}'`,
    )
    .action(async (name: string, { data }: { data?: string }) => {
      const jobData = data === undefined ? {} : { data: readJson(data) };
      await withGatehouse(async ({ resourceServices, scheduler, jobs }) => {
        try {
          await runJob(resourceServices, scheduler, jobs, { name, ...jobData });
        } catch (error) {
          if (error instanceof OperatorError || error instanceof Problem) throw error;
          throw new OperatorError(`${name} failed: ${reasonOf(error)}`);
        }
      });
      console.log(`${name} is done.`);
    });
}

function readJson(text: string): unknown {
  const data = tryParseJson(text);
  if (data === undefined) throw new UsageError(`--data: expected JSON, such as '{"id":"1"}'`);
  return data;
}

export const jobCommands = [addJobList, addJobRun];
