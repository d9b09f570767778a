/** Control characters, what turns the direction of text or cannot be seen, and what is no character. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Cn}]/u;
const latin = /\p{Script=Latin}/u;
/** Scripts that have letters which look like Latin ones. */
const lookalike =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Cherokee}\p{Script=Armenian}\p{Script=Coptic}\p{Script=Lisu}]/u;
/** More marks on one letter than any language writes: they run over the lines above. */
const stacked = /\p{M}{4}/u;

/** Digits and signs that stand for a letter in a name that is to pass for another. */
const standIns = new Map([...'0o1l!i3e4a@a5s$s7t'.matchAll(/(.)(.)/g)].map(([, sign, letter]) => [sign, letter]));

/** Whether a name would pass for the service's own, however it is written. */
export function passesForService(name: string): boolean {
  const plain = [...name.normalize('NFKD').toLowerCase()].map((char) => standIns.get(char) ?? char).join('');
  return plain.replace(/[^a-z]/g, '').includes('gatehouse');
}

/** The mistake in a name that the consent page shows. Undefined if there is none. */
export function faultOfName(name: string): string | undefined {
  if (unseen.test(name) || stacked.test(name))
    return 'holds characters that cannot be seen or are not shown as written';
  if (/^\s|\s$|\s\s|[^\S ]/u.test(name)) return 'takes single spaces, between words alone';
  if (name.split(/[^\p{L}\p{M}]+/u).some((word) => latin.test(word) && lookalike.test(word))) {
    return 'mixes letters of two scripts that look alike in one word';
  }
  return undefined;
}
