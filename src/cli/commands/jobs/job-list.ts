import type { Command } from 'commander';
import { findSchedules } from '../../../resources/jobs/schedule-store.ts';
import { withGatehouse } from '../../operator/with-gatehouse.ts';
import { addListOptions, type ListFlags } from '../../terminal/list-options.ts';
import { printRows, showTime } from '../../terminal/print.ts';

export function addJobList(group: Command): void {
  addListOptions(group.command('list'))
    .description('List the jobs of JOBS_DIR, with the next run of scheduled jobs.')
    .addHelpText('after', '\nExamples:\n  gatehouse job list\n  gatehouse job list --json')
    .action(async (flags: ListFlags) => {
      const rows = await withGatehouse(async ({ context, scheduler, jobs }) => {
        await scheduler.keep();
        const kept = new Map((await findSchedules(context.database.db, scheduler.names)).map((row) => [row.id, row]));
        return jobs.map(({ name, schedule = null }) => {
          const row = kept.get(name);
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
