/** A value as it stands in a table. */
export const showCell = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  return printable(Array.isArray(value) ? value.join(' ') : String(value));
};

/** Names are whatever people chose: what moves a cursor, ends a line or turns the writing around is shown, not done. */
export const printable = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
