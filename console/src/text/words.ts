import { language, locale, translate } from './translate.ts';

/** A word inside a sentence: "cars", "AI applications". In German, nouns always have a capital letter. */
export function lowerCaseFirst(word: string): string {
  if (language.startsWith('de') || /^\p{Lu}{2}/u.test(word)) return word;
  return word.charAt(0).toLocaleLowerCase(locale) + word.slice(1);
}

/** Whole sentences, because the position and form of the word differ between languages. */
const removals = {
  Delete: {
    ...{ word: 'Delete', one: 'Delete {thing} “{row}”?', ask: 'Delete {what}?', all: 'Delete {what}' },
    ...{ doing: 'Deleting {what}', done: '{what} deleted' },
  },
  Revoke: {
    ...{ word: 'Revoke', one: 'Revoke {thing} “{row}”?', ask: 'Revoke {what}?', all: 'Revoke {what}' },
    ...{ doing: 'Revoking {what}', done: '{what} revoked' },
  },
  Withdraw: {
    ...{ word: 'Withdraw', one: 'Withdraw {thing} “{row}”?', ask: 'Withdraw {what}?', all: 'Withdraw {what}' },
    ...{ doing: 'Withdrawing {what}', done: '{what} withdrawn' },
  },
};

export type RemovalWord = keyof typeof removals;
type Form = keyof (typeof removals)['Delete'];

/** "Deleting 25 cars", in the requested form. */
export const removalText = (
  word: RemovalWord,
  form: Form,
  values: { what?: string; thing?: string; row?: string } = {},
): string => translate(removals[word][form], values);
