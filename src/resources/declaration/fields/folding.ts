import { toNfc } from '../../../platform/normal-form.ts';

/** The form for comparing and sorting text: without case and Unicode normal forms, and the same on every database. */
export const fold = (text: string): string =>
  // Lowercase of Σ depends on its place in the word, which a prefix does not know.
  toNfc(toNfc(text).toLowerCase().replaceAll('ς', 'σ'));

/** The same as `lower()` on both engines. */
export const foldAscii = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** The smallest text above all that begin with the prefix, by code points; undefined when there is none. */
export function afterPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix);
  while (points.length > 0) {
    const last = (points.pop() as string).codePointAt(0) as number;
    if (last === 0x10ffff) continue;
    // Surrogates are no characters: the next one after U+D7FF is U+E000.
    return points.join('') + String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1);
  }
  return undefined;
}
