import { InvalidArgumentError } from 'commander';
import { durationOf } from '../../platform/duration-of.ts';

/** For an option of a command. */
export function readDuration(text: string): number {
  const ms = durationOf(text);
  if (ms) return ms;
  throw new InvalidArgumentError('It must be a duration such as 90s, 15m, 2h or 7d.');
}
