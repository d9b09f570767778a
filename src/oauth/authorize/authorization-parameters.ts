/** The parameters of an authorization request by name. `resource` may come more than once (RFC 8707 2), nothing else. */
export type AuthorizationParameters = ReadonlyMap<string, readonly string[]>;

/** Long enough for any honest request; carried through the login page, it must fit into the line of a request. */
export const longestRequest = 4000;

/** RFC 6749 3.1: an empty parameter counts as one that was left out. */
export function readAuthorizationParameters(query: string): AuthorizationParameters {
  const parameters = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (value === '') continue;
    const values = parameters.get(name);
    if (values) values.push(value);
    else parameters.set(name, [value]);
  }
  return parameters;
}

/** The one value of a parameter, where it was sent. */
export const only = (parameters: AuthorizationParameters, name: string): string | undefined =>
  parameters.get(name)?.[0];
