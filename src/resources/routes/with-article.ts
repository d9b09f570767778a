/** "an owner", "a user": by the sound that the word begins with, as far as its letters tell. */
export const withArticle = (singular: string): string =>
  `${/^(?!eu|one|u(?:s|ni))[aeiou]/i.test(singular) ? 'an' : 'a'} ${singular}`;
