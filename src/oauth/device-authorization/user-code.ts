import { randomInt } from 'node:crypto';

/** RFC 8628 6.1: no vowels, so that no word comes of it, and nothing that looks like something else. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ';
const length = 8;
const half = length / 2;

export const makeUserCode = (): string =>
  Array.from({ length }, () => letters[randomInt(letters.length)] as string).join('');

/** As people read it: in two halves. */
export const showUserCode = (code: string): string => `${code.slice(0, half)}-${code.slice(half)}`;

const longestTyped = 64;

/** The code in a typed text, in any case and with any separators. Undefined if it cannot be a code. */
export function readUserCode(typed: string): string | undefined {
  if (typed.length > longestTyped) return undefined;
  const code = typed.toUpperCase().replace(/[\s\p{P}]/gu, '');
  return code.length === length && [...code].every((letter) => letters.includes(letter)) ? code : undefined;
}
