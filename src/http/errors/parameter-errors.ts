import { suggestName } from '../../platform/closest-name.ts';
import { badRequest, type Problem } from '../../platform/errors.ts';

export const quoteForError = (text: string): string =>
  `"${(text.length > 60 ? `${text.slice(0, 60)}…` : text).replace(/\p{Cc}/gu, '?')}"`;

/** A 400 error for an unknown name. It has the name, the reason, the closest valid name and the allowed names. */
export function unknownName(
  label: string,
  name: string,
  allowed: readonly string[],
  code: string,
  reason = 'is unknown',
): Problem {
  const allowedNames = allowed.length > 0 ? `Allowed: ${allowed.join(', ')}.` : 'None is allowed here.';
  const suggestion = suggestName(name.slice(0, 60), allowed);
  return badRequest(`${label} ${quoteForError(name)} ${reason}.${suggestion} ${allowedNames}`, code);
}

export const invalidParameter = (detail: string): Problem => badRequest(detail, 'parameter_invalid');
