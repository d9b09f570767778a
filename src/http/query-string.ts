import { badRequest, type Problem } from '../platform/errors.ts';
import { noValues, readFormEncoded } from './bodies/form-body.ts';

const wrong = Symbol('what is wrong with the query string');
const mostParameters = 100;
const tooMany = () => badRequest(`The query string has more than ${mostParameters} parameters.`, 'parameter_invalid');

/** The router cannot throw: a broken query string is remembered and refused when the request is admitted. */
export function parseQueryString(text: string): Record<string, string> {
  // A new one each time: the validator writes defaults into it.
  if (text === '') return noValues();
  try {
    return readFormEncoded(text, { most: mostParameters, tooMany });
  } catch (problem) {
    return { [wrong]: problem } as unknown as Record<string, string>;
  }
}

export const queryStringProblem = (query: unknown): Problem | undefined =>
  (query as Record<symbol, Problem | undefined>)[wrong];
