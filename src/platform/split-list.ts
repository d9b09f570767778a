/** The words of a list in a parameter or a setting. Spaces around a separator and empty words are ignored: `owner, drivers`. */
export const splitList = (text: string, separator: ';' | ','): string[] =>
  text
    .split(separator)
    .map((word) => word.trim())
    .filter((word) => word !== '');
