import { language, locale, say } from './say.ts';

/** A word as it stands inside a sentence: "cars", "AI applications". German writes its nouns with a capital everywhere. */
export function within(word: string): string {
  if (language.startsWith('de') || /^\p{Lu}{2}/u.test(word)) return word;
  return word.charAt(0).toLocaleLowerCase(locale) + word.slice(1);
}

/** All that is said of removing: whole sentences, because languages put the word in other places and forms. */
interface Removal {
  word: string;
  one: string;
  ask: string;
  all: string;
  doing: string;
  done: string;
}

const removals = {
  Delete: {
    word: 'Delete',
    one: 'Delete {thing} “{row}”?',
    ask: 'Delete {what}?',
    all: 'Delete {what}',
    doing: 'Deleting {what}',
    done: '{what} deleted',
  },
  Revoke: {
    word: 'Revoke',
    one: 'Revoke {thing} “{row}”?',
    ask: 'Revoke {what}?',
    all: 'Revoke {what}',
    doing: 'Revoking {what}',
    done: '{what} revoked',
  },
  Withdraw: {
    word: 'Withdraw',
    one: 'Withdraw {thing} “{row}”?',
    ask: 'Withdraw {what}?',
    all: 'Withdraw {what}',
    doing: 'Withdrawing {what}',
    done: '{what} withdrawn',
  },
} satisfies Record<string, Removal>;

export type RemovalWord = keyof typeof removals;

/** "Deleting 25 cars", in the form that the moment needs. */
export const sayRemoval = (
  word: RemovalWord,
  form: keyof Removal,
  values: { what?: string; thing?: string; row?: string } = {},
): string => say(removals[word][form], values);
