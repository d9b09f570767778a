import { readFile } from 'node:fs/promises';

let list: Promise<ReadonlySet<string>> | undefined;

/** Loaded when first needed, so that a start does not wait for it. Lowercase, one password per line. */
const load = async (): Promise<ReadonlySet<string>> =>
  new Set((await readFile(new URL('common-passwords.txt', import.meta.url), 'utf8')).split('\n'));

const plainLetters = new Map(
  ['0o', '1l', '3e', '4a', '5s', '7t', '8b', '@a', '$s', '!i'].map(([sign, letter]) => [sign, letter]),
);

/** Whether a list of common passwords contains it: as typed, in another case, or with digits and signs in place of letters. */
export async function isCommonPassword(password: string): Promise<boolean> {
  list ??= load();
  const common = await list;
  const folded = password.normalize('NFC').toLowerCase();
  if (common.has(folded)) return true;
  const plain = [...folded].map((char) => plainLetters.get(char) ?? char).join('');
  return common.has(plain);
}
