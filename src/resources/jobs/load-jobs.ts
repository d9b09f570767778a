import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { importFile } from '../../config/import-file.ts';
import { OperatorError } from '../../platform/errors.ts';
import { checkOptions } from '../declaration/check-options.ts';
import { callback, type OptionKind, type OptionKinds, words } from '../declaration/option-kind.ts';
import type { JobDefinition } from './define-job.ts';

const isDeclaration = (name: string): boolean => /\.(ts|js|mjs)$/.test(name) && !/\.(d|test)\.\w+$/.test(name);

const whole = (most: number): OptionKind => ({
  takes: `a whole number from 1 to ${most}`,
  accepts: (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most,
});

const jobOptions: OptionKinds<JobDefinition> = {
  name: words,
  attempts: whole(1000),
  timeout: whole(86_400),
  handle: callback,
};

/** Every file of the folder declares one job, as its default export. No folder: no jobs of one's own. */
export async function loadJobs(dir: string, isTaken: (name: string) => boolean): Promise<JobDefinition[]> {
  if (!existsSync(dir)) return [];
  const jobs: JobDefinition[] = [];
  for (const name of readdirSync(dir).filter(isDeclaration).sort()) {
    const file = join(dir, name);
    const { default: job } = await importFile(file);
    const complaints = complaintsAbout(job, (other) => isTaken(other) || jobs.some((each) => each.name === other));
    if (complaints.length > 0) throw new OperatorError(`${file}:\n  ${complaints.join('\n  ')}`);
    jobs.push(job as JobDefinition);
  }
  return jobs;
}

function complaintsAbout(job: unknown, isTaken: (name: string) => boolean): string[] {
  if (typeof job !== 'object' || job === null) return ['it must `export default defineJob({ name, handle })`.'];
  const complaints: string[] = [];
  checkOptions('', job, jobOptions, (where, what) => complaints.push(`${where}: ${what}`));
  const { name, handle } = job as Partial<JobDefinition>;
  if (typeof name !== 'string' || !/^[a-z][a-z0-9-]{0,59}$/.test(name)) {
    complaints.push('name: it takes lowercase letters, digits and dashes, at most 60, such as "send-invoice".');
  } else if (isTaken(name)) complaints.push(`name: another job is named "${name}"; choose another name.`);
  if (handle === undefined) complaints.push('handle is missing: the function that does the work.');
  return complaints;
}
