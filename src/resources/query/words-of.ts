/** The words of a list parameter. Spaces around a separator, and empty words, mean nothing: `owner, drivers`. */
export const wordsOf = (text: string, separator: ';' | ','): string[] =>
  text
    .split(separator)
    .map((word) => word.trim())
    .filter((word) => word !== '');
