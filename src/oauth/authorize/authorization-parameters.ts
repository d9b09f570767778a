import { OAuthError } from '../../platform/errors.ts';
import { asObject } from '../../platform/is-object.ts';
import { tryParseJson } from '../../platform/json-text.ts';
import { type Acr, lowestAcr } from '../../platform/proof.ts';

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

export const unmetRequirements = () =>
  new OAuthError('unmet_authentication_requirements', 'The user cannot sign in at the requested level.');

/** The lowest accepted level of `acr_values` or the claim `acr` (OIDC Core 3.1.2.1, 5.5.1.1; RFC 9470 4). */
export function requestedAcr(parameters: AuthorizationParameters): Acr | undefined {
  const {
    value,
    values: listed = value === undefined ? undefined : [value],
    essential,
  } = idTokenClaim(parameters, 'acr');
  const values = listed ?? (singleValue(parameters, 'acr_values') ?? '').split(' ').filter(Boolean);
  const level = lowestAcr(values);
  if (level === undefined && essential && values.length > 0) throw unmetRequirements();
  return level;
}

/** The users who may sign in (OIDC Core 3.1.2.2). Undefined: any user. */
export function requestedUserIds(parameters: AuthorizationParameters): readonly unknown[] | undefined {
  const { value, values } = idTokenClaim(parameters, 'sub');
  return value === undefined ? values : [value].filter((one) => values?.includes(one) ?? true);
}

/** The request for a claim of the ID token. `readClaims` reports other errors in `claims`. */
function idTokenClaim(parameters: AuthorizationParameters, name: 'acr' | 'sub') {
  const claims = asObject(tryParseJson(singleValue(parameters, 'claims') ?? ''));
  const { value, values, essential } = asObject(asObject(claims.id_token)[name]);
  const listed: readonly unknown[] | undefined = Array.isArray(values) ? values : undefined;
  return { value, values: listed, essential: essential === true };
}
