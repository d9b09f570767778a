import { closestName } from '../../platform/closest-name.ts';
import { OperatorError } from '../../platform/errors.ts';

const normalise = (name: string): string => name.replaceAll(/[_-]/g, '').toUpperCase();
const firstWord = (name: string): string => name.slice(0, name.indexOf('_') + 1);

/** Shorter names are too similar to names of other programs. */
const minWordLength = 4;

/** Rejects an environment variable that is probably a misspelt setting. */
export function rejectMisspelling(name: string, settingNames: readonly string[]): void {
  const longNames = settingNames.filter((setting) => setting.length >= minWordLength);
  const intended =
    settingNames.find((setting) => normalise(setting) === normalise(name) && setting.length >= minWordLength) ??
    (name.length < minWordLength ? undefined : closestName(name, longNames, name.length < 8 ? 1 : 2)) ??
    longNames.find((setting) => setting.includes('_') && name.startsWith(setting));
  if (intended) throw new OperatorError(`${name} is not a setting. Did you mean ${intended}? Rename it, or unset it.`);
}

/** `.env` contains only settings, so a name that begins like a setting is rejected there too. */
export function rejectUnknownInEnvFile(name: string, settingNames: readonly string[]): void {
  rejectMisspelling(name, settingNames);
  const word = firstWord(name);
  const similar = word === '' ? [] : settingNames.filter((setting) => setting.startsWith(word));
  if (similar.length === 0) return;
  throw new OperatorError(
    `.env: ${name} is not a setting, and begins like ${similar.join(', ')}. Rename it, or remove it from .env.`,
  );
}
