/** Plural nouns that do not end in s, and nouns that have no plural. */
const irregularPlurals = new Set(
  'people children men women mice feet teeth geese data media criteria phenomena staff equipment information feedback sheep fish'.split(
    ' ',
  ),
);

const verbPrefix = /^(get|fetch|find|list|create|update|delete|remove)[-_]?(?=[a-z])/;
/** Endings that turn a verb into a noun: listings, listeners, removals. */
const nounEnding = /^(s|rs|ings|ers|ters|eners|als|aways)$/;

const isPlural = (word: string): boolean => irregularPlurals.has(word) || (word.endsWith('s') && !word.endsWith('ss'));

function startsWithVerb(name: string): boolean {
  const match = verbPrefix.exec(name);
  return match !== null && isPlural(name) && !nounEnding.test(name.slice(match[0].length));
}

/** Spec 4.7: names in paths are plural nouns, not verbs. Advice for `gatehouse check`. */
export function namingAdvice(name: string): string | undefined {
  if (startsWithVerb(name)) {
    return `"${name}" starts with a verb. Use a noun, such as "${name.replace(verbPrefix, '')}": the method says what happens.`;
  }
  const lastWord = name.split(/[-_]/).at(-1) ?? '';
  return isPlural(lastWord) ? undefined : `"${name}" is not a plural noun. Names in paths are plural, such as "cars".`;
}
