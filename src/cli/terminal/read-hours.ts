import { InvalidArgumentError } from 'commander';

export const maxHours = 720;

/** For an option of a command. */
export function readHours(text: string, least: number): number {
  const hours = /^\d{1,3}$/.test(text) ? Number(text) : -1;
  if (hours >= least && hours <= maxHours) return hours;
  throw new InvalidArgumentError(`Expected a whole number from ${least} to ${maxHours}.`);
}
