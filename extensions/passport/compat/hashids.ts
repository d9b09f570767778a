const separators = 'cfhistuCFHISTU';
const separatorShare = 3.5;
const guardShare = 12;
/** The alphabet in Apiato's configuration. */
const apiatoAlphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ1234567890';

/** Hashids (hashids.org) with one number each, as in Apiato's ids. */
export class Hashids {
  readonly #salt: string;
  readonly #length: number;
  readonly #alphabet: string;
  readonly #separators: string;
  readonly #guards: string;

  constructor(salt: string, length: number, characters = apiatoAlphabet) {
    this.#salt = salt;
    this.#length = length;
    let alphabet = [...characters].filter((char) => !separators.includes(char)).join('');
    let seps = shuffle([...separators].filter((char) => characters.includes(char)).join(''), salt);
    const minSeparators = Math.ceil(alphabet.length / separatorShare);
    if (alphabet.length / seps.length > separatorShare && minSeparators > seps.length) {
      const missing = minSeparators - seps.length;
      seps += alphabet.slice(0, missing);
      alphabet = alphabet.slice(missing);
    }
    alphabet = shuffle(alphabet, salt);
    const guards = Math.ceil(alphabet.length / guardShare);
    this.#guards = alphabet.slice(0, guards);
    this.#alphabet = alphabet.slice(guards);
    this.#separators = seps;
  }

  encode(number: number): string {
    const sum = number % 100;
    const lottery = this.#alphabet.charAt(sum % this.#alphabet.length);
    let alphabet = this.#shuffled(lottery);
    let text = lottery + toAlphabet(number, alphabet);
    if (text.length < this.#length) text = this.#guard(sum + text.charCodeAt(0)) + text;
    if (text.length < this.#length) text += this.#guard(sum + text.charCodeAt(2));
    const half = Math.floor(alphabet.length / 2);
    while (text.length < this.#length) {
      alphabet = shuffle(alphabet, alphabet);
      text = alphabet.slice(half) + text + alphabet.slice(0, half);
      const excess = text.length - this.#length;
      if (excess > 0) text = text.slice(Math.floor(excess / 2), Math.floor(excess / 2) + this.#length);
    }
    return text;
  }

  /** Undefined for text that was not made with this salt, or that contains more than one number. */
  decode(text: string): number | undefined {
    const parts = text.split(new RegExp(`[${this.#guards}]`));
    const core = parts[parts.length === 2 || parts.length === 3 ? 1 : 0] ?? '';
    const [lottery, ...rest] = core;
    if (lottery === undefined || rest.length === 0 || rest.some((char) => this.#separators.includes(char)))
      return undefined;
    const number = fromAlphabet(rest, this.#shuffled(lottery));
    return number !== undefined && this.encode(number) === text ? number : undefined;
  }

  #shuffled(lottery: string): string {
    return shuffle(this.#alphabet, (lottery + this.#salt + this.#alphabet).slice(0, this.#alphabet.length));
  }

  #guard(at: number): string {
    return this.#guards.charAt(at % this.#guards.length);
  }
}

/** Shuffles deterministically by the salt. */
function shuffle(text: string, salt: string): string {
  if (salt === '') return text;
  const chars = [...text];
  for (let i = chars.length - 1, v = 0, p = 0; i > 0; i--, v++) {
    v %= salt.length;
    const code = salt.charCodeAt(v);
    p += code;
    const j = (code + v + p) % i;
    [chars[i], chars[j]] = [chars[j] ?? '', chars[i] ?? ''];
  }
  return chars.join('');
}

function toAlphabet(number: number, alphabet: string): string {
  let text = '';
  let rest = number;
  do {
    text = alphabet.charAt(rest % alphabet.length) + text;
    rest = Math.floor(rest / alphabet.length);
  } while (rest > 0);
  return text;
}

function fromAlphabet(chars: readonly string[], alphabet: string): number | undefined {
  let number = 0;
  for (const char of chars) {
    const digit = alphabet.indexOf(char);
    number = number * alphabet.length + digit;
    if (digit < 0 || !Number.isSafeInteger(number)) return undefined;
  }
  return number;
}
