const shortTextLength = 256;

/**
 * Unicode NFC. Sorting a long run of accents takes quadratic time. So in longer texts, such runs are split first, as
 * in the Stream-Safe Text Format (UAX #15, 13): a joiner (U+034F) follows every thirty accents.
 */
export const toNfc = (text: string): string =>
  (text.length > shortTextLength ? text.replace(/(\p{M}{30})(?=\p{M})/gu, '$1\u034f') : text).normalize('NFC');
