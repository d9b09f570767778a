import { Cron } from 'croner';
import { reasonOf } from '../../src/platform/errors.ts';

const parseSchedule = (schedule: string, timeZone: string): Cron =>
  new Cron(schedule, { timezone: timeZone, mode: '5-part', paused: true });

/** The time of the next run after a point in time. Undefined: never. */
export const nextRun = (schedule: string, timeZone: string, after: number): number | undefined =>
  parseSchedule(schedule, timeZone).nextRun(new Date(after))?.getTime();

export function scheduleError(schedule: string, timeZone: string, now: number): string | undefined {
  try {
    if (nextRun(schedule, timeZone, now) === undefined) return 'it never matches a time.';
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}
