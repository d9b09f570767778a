import { closestName } from '../../platform/closest-name.ts';
import { badRequest, type Problem } from '../../platform/errors.ts';

/** A caller's text, shortened and made safe for a response. */
export const quoteForError = (text: string): string =>
  `"${(text.length > 60 ? `${text.slice(0, 60)}…` : text).replace(/\p{Cc}/gu, '?')}"`;

/** 400 for an invalid name: the name, the reason, the closest valid name, and the allowed names. */
export function unknownName(
  what: string,
  word: string,
  allowed: readonly string[],
  code: string,
  why = 'is not known here',
): Problem {
  const near = closestName(word.slice(0, 60), allowed);
  const choice = allowed.length > 0 ? `Allowed: ${allowed.join(', ')}.` : 'None is allowed here.';
  return badRequest(`${what} ${quoteForError(word)} ${why}.${near ? ` Did you mean "${near}"?` : ''} ${choice}`, code);
}

export const invalidParameter = (detail: string): Problem => badRequest(detail, 'parameter_invalid');
