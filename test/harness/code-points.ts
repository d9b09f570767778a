import fc from 'fast-check';

const maxCodePoint = 0x10ffff;

/** Any character, like `unit: 'binary'`, which takes three seconds of processor time to prepare. */
export const codePoint = fc
  .integer({ min: 0, max: maxCodePoint })
  .map((code) => String.fromCodePoint(code))
  .filter((text) => text.isWellFormed());
