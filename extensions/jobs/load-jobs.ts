import { modulesIn } from '../../src/config/import-file.ts';
import { checkOptions, importChecked } from '../../src/resources/declaration/check-options.ts';
import {
  callback,
  type OptionKind,
  type OptionKinds,
  textOption,
} from '../../src/resources/declaration/option-kind.ts';
import type { JobDefinition } from './define-job.ts';
import { scheduleError } from './schedule.ts';

const positiveInteger = (max: number): OptionKind => ({
  expected: `a whole number from 1 to ${max}`,
  accepts: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= max,
});

const jobOptions: OptionKinds<JobDefinition> = {
  name: textOption,
  attempts: positiveInteger(1000),
  timeout: positiveInteger(86_400),
  schedule: textOption,
  timeZone: textOption,
  run: callback,
  handle: callback,
};

interface JobContext {
  isTaken(name: string): boolean;
  readonly now: number;
}

export async function loadJobs(dir: string, { isTaken, now }: JobContext): Promise<JobDefinition[]> {
  const jobs: JobDefinition[] = [];
  for (const file of modulesIn(dir)) {
    const isNameTaken = (other: string) => isTaken(other) || jobs.some((job) => job.name === other);
    const job = await importChecked<JobDefinition>(file, 'defineJob({ name, run })', (definition, mistakes) =>
      checkJob(definition, { isTaken: isNameTaken, now }, mistakes),
    );
    jobs.push(job);
  }
  return jobs;
}

function checkJob(
  job: Partial<Record<keyof JobDefinition, unknown>>,
  { isTaken, now }: JobContext,
  mistakes: string[],
): void {
  checkOptions('', job, jobOptions, (where, message) => mistakes.push(`${where}: ${message}`));
  const { name, run, handle, schedule, timeZone = 'UTC' } = job;
  if (typeof name !== 'string' || !/^[a-z][a-z0-9-]{0,59}$/.test(name)) {
    mistakes.push('name: expected lowercase letters, digits and dashes, at most 60, such as "send-invoice".');
  } else if (isTaken(name)) mistakes.push(`name: another job is named "${name}"; choose another name.`);
  if (run === undefined && handle === undefined) mistakes.push('run is missing: the function that does the work.');
  if (run !== undefined && handle !== undefined) mistakes.push('run and handle are the same: leave one of them out.');
  if (typeof schedule === 'string' && typeof timeZone === 'string') {
    const isValidZone = isTimeZone(timeZone);
    if (!isValidZone)
      mistakes.push(`timeZone: there is no time zone "${timeZone}"; expected a name such as Europe/Berlin.`);
    const reason = isValidZone ? scheduleError(schedule, timeZone, now) : undefined;
    if (reason)
      mistakes.push(`schedule: "${schedule}" is not a schedule such as "0 3 * * *" (every night at three): ${reason}`);
  } else if (timeZone !== 'UTC') mistakes.push('timeZone: it needs a schedule.');
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
