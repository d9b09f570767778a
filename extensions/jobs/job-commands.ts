import type { Command } from 'commander';
import { withGatehouse } from '../../src/cli/operator/with-gatehouse.ts';
import { addListOptions, type ListFlags, printRows, showTime } from '../../src/cli/terminal/print.ts';
import { UsageError } from '../../src/cli/terminal/usage-error.ts';
import { OperatorError, Problem, reasonOf } from '../../src/platform/errors.ts';
import { tryParseJson } from '../../src/platform/json-text.ts';

function addJobList(group: Command): void {
  addListOptions(group.command('list'))
    .description('List the jobs of JOBS_DIR, with the next run of scheduled jobs.')
    .addHelpText('after', '\nExamples:\n  gatehouse job list\n  gatehouse job list --json')
    .action(async (flags: ListFlags) => {
      const { listDeclaredJobs } = await import('./list-and-run.ts');
      const jobs = await withGatehouse(({ context, queue }) => listDeclaredJobs(context, queue));
      const rows = jobs.map(({ name, schedule, stored }) => ({
        name,
        schedule,
        time_zone: stored?.time_zone ?? null,
        next_run_at: showTime(stored?.next_run_at ?? null),
        last_run_at: showTime(stored?.last_run_at ?? null),
        last_state: stored?.last_state ?? null,
      }));
      printRows(rows, flags, 'name');
    });
}

function addJobRun(group: Command): void {
  group
    .command('run')
    .argument('<name>', 'the name in the declaration of the job')
    .description('Run a job of JOBS_DIR once, in this process. Exits with 1 if the job fails.')
    .option('--data <json>', 'the data to pass to the job')
    .addHelpText(
      'after',
      `\nExamples:\n  gatehouse job run nightly-report\n  gatehouse job run send-invoice --data '{"orderId":"1"}'`,
    )
    .action(async (name: string, { data }: { data?: string }) => {
      const jobData = data === undefined ? {} : { data: readJson(data) };
      const { runDeclaredJob } = await import('./list-and-run.ts');
      await withGatehouse(async ({ context, resourceServices, queue }) => {
        // Unlike other commands, it shows what the operator's code logs.
        context.log.level = context.config.logLevel;
        try {
          await runDeclaredJob(resourceServices, queue, { name, ...jobData });
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
