/** The parameters of an authorization request by name. Only `resource` may be repeated (RFC 8707 2). */
export type AuthorizationParameters = ReadonlyMap<string, readonly string[]>;

/** The login page carries the request in its address, so the request must fit into a request line. */
export const maxRequestLength = 4000;

/** RFC 6749 3.1: an empty parameter counts as omitted. */
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

/** The single value of a parameter, or undefined. */
export const singleValue = (parameters: AuthorizationParameters, name: string): string | undefined =>
  parameters.get(name)?.[0];
