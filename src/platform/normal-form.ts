const short = 256;

/**
 * Unicode's NFC. A long run of accents is sorted in time that grows with its square, so in longer texts such a run is
 * parted first, as the Stream-Safe Text Format does it (UAX #15, 13): after thirty accents comes a joiner, U+034F.
 */
export const toNfc = (text: string): string =>
  (text.length > short ? text.replace(/(\p{M}{30})(?=\p{M})/gu, '$1\u034f') : text).normalize('NFC');
