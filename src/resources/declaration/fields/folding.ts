import { toNfc } from '../../../platform/normal-form.ts';

/** The form in which text is compared and sorted. It ignores case and Unicode normal forms, and is the same on every database. */
export const fold = (text: string): string =>
  // The lowercase form of Σ depends on its position in the word, which is unknown for a prefix.
  toNfc(toNfc(text).toLowerCase().replaceAll('ς', 'σ'));

/** The same as `lower()` on both engines. */
export const foldAscii = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** The smallest text after all texts with the prefix, by code points. Undefined if there is none. */
export function prefixUpperBound(prefix: string): string | undefined {
  const points = Array.from(prefix);
  for (let point = points.pop(); point !== undefined; point = points.pop()) {
    const last = point.codePointAt(0) ?? 0;
    if (last === 0x10ffff) continue;
    // Surrogates are not characters: U+E000 follows U+D7FF.
    return points.join('') + String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1);
  }
  return undefined;
}
