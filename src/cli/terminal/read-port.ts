import { InvalidArgumentError } from 'commander';
import { settings } from '../../config/settings/settings.ts';

/** For an option of a command. Accepts the same values as the setting PORT. */
export function readPort(text: string): string {
  if (settings.port.parse(text).ok) return text;
  throw new InvalidArgumentError(`Expected ${settings.port.expected}.`);
}
