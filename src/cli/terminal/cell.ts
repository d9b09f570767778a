/** A value as it stands in a table. */
export const showCell = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  return printable(Array.isArray(value) ? value.join(' ') : String(value));
};

/** People choose names freely: characters that move the cursor, end a line or change the direction are shown as escapes. */
export const printable = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
