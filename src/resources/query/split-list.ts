/** The words of a list parameter. Spaces around a separator and empty words are ignored: `owner, drivers`. */
export const splitList = (text: string, separator: ';' | ','): string[] =>
  text
    .split(separator)
    .map((word) => word.trim())
    .filter((word) => word !== '');
