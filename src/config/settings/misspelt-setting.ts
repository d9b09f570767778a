import { closestName } from '../../platform/closest-name.ts';
import { OperatorError } from '../../platform/errors.ts';

const plain = (name: string): string => name.replaceAll(/[_-]/g, '').toUpperCase();
const firstWord = (name: string): string => name.slice(0, name.indexOf('_') + 1);

/** Shorter names are too similar to names of other programs. */
const minWordLength = 4;

/** Rejects an environment variable that is probably a misspelt setting. */
export function rejectMisspelling(name: string, known: readonly string[]): void {
  const long = known.filter((setting) => setting.length >= minWordLength);
  const meant =
    known.find((setting) => plain(setting) === plain(name) && setting.length >= minWordLength) ??
    (name.length < minWordLength ? undefined : closestName(name, long, name.length < 8 ? 1 : 2)) ??
    long.find((setting) => setting.includes('_') && name.startsWith(setting));
  if (meant) throw new OperatorError(`${name} is not a setting. Did you mean ${meant}? Rename it, or unset it.`);
}

/** `.env` contains only settings, so a name that begins like a setting is rejected there too. */
export function rejectUnknownInEnvFile(name: string, known: readonly string[]): void {
  rejectMisspelling(name, known);
  const word = firstWord(name);
  const alike = word === '' ? [] : known.filter((setting) => setting.startsWith(word));
  if (alike.length === 0) return;
  throw new OperatorError(
    `.env: ${name} is not a setting, and begins like ${alike.join(', ')}. Rename it, or remove it from .env.`,
  );
}
