import { InvalidArgumentError } from 'commander';
import { settings } from '../../config/settings/settings.ts';

/** Accepts the same values as the setting PORT. */
export function readPort(text: string): string {
  if (settings.port.parse(text).ok) return text;
  throw new InvalidArgumentError(`Expected ${settings.port.expected}.`);
}

export function readCount(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new InvalidArgumentError('It must be a whole number of at least 1.');
}

/** The longest period of an option. */
export const maxHours = 720;

export function readHours(text: string, least: number): number {
  const hours = /^\d{1,3}$/.test(text) ? Number(text) : -1;
  if (hours >= least && hours <= maxHours) return hours;
  throw new InvalidArgumentError(`Expected a whole number from ${least} to ${maxHours}.`);
}
