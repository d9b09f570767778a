import { Errors } from 'typebox/schema';
import type { Config } from '../../config/config.ts';
import { OAuthError } from '../../platform/errors.ts';
import { isObject } from '../../platform/is-object.ts';
import { tryParseJson } from '../../platform/json-text.ts';
import type { AuthorizationDetail } from '../sessions/store/grant-details.ts';

/** Every access token contains the list, and the Authorization header must have room for it. */
const maxLength = 3000;
const maxDetails = 10;

/** RFC 9396 2.2: members that have the same meaning in every type. */
const listMembers = ['locations', 'actions', 'datatypes', 'privileges'];

const invalidDetails = (description: string) => new OAuthError('invalid_authorization_details', description);

/** RFC 9396 5: the requested details. The operator must have declared their types. Undefined: the application requests none. */
export function readAuthorizationDetails(
  { authorizationDetailsTypes: types }: Pick<Config, 'authorizationDetailsTypes'>,
  text: string | undefined,
): readonly AuthorizationDetail[] | undefined {
  if (text === undefined) return undefined;
  if (text.length > maxLength) throw invalidDetails(`authorization_details has more than ${maxLength} characters.`);
  const parsed = tryParseJson(text);
  if (!Array.isArray(parsed) || !parsed.every(isObject)) {
    throw invalidDetails('authorization_details must be a JSON list of objects.');
  }
  const details: readonly Record<string, unknown>[] = parsed;
  if (details.length === 0 || details.length > maxDetails)
    throw invalidDetails(`authorization_details takes 1 to ${maxDetails} objects.`);
  // With invisible characters, the consent page could show something else than the user grants.
  if (/\p{Cf}/u.test(JSON.stringify(details)))
    throw invalidDetails('authorization_details contains invisible characters.');
  for (const detail of details) {
    const { type } = detail;
    const declared = typeof type === 'string' && Object.hasOwn(types, type) ? types[type] : undefined;
    if (declared === undefined) {
      throw invalidDetails('authorization_details has a type that is not in authorization_details_types_supported.');
    }
    const wrongList = listMembers.find((name) => Object.hasOwn(detail, name) && !isStringList(detail[name]));
    if (wrongList) throw invalidDetails(`authorization_details: ${wrongList} must be a list of strings.`);
    if (Object.hasOwn(detail, 'identifier') && typeof detail.identifier !== 'string') {
      throw invalidDetails('authorization_details: identifier must be a string.');
    }
    if (typeof declared === 'object') {
      const [isValid, [first]] = Errors(declared.schema, detail);
      if (!isValid)
        throw invalidDetails(`authorization_details: ${type}${first?.instancePath ?? ''} ${first?.message}.`);
    }
  }
  return details as readonly AuthorizationDetail[];
}

const isStringList = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

/** RFC 9396 6.1: a token request may name a subset of the granted details. */
export function narrowDetails(
  granted: readonly AuthorizationDetail[] | undefined,
  requested: readonly AuthorizationDetail[] | undefined,
): readonly AuthorizationDetail[] | undefined {
  if (requested === undefined) return granted;
  const grantedJson = new Set(granted?.map((detail) => JSON.stringify(detail)));
  if (requested.some((detail) => !grantedJson.has(JSON.stringify(detail)))) {
    throw invalidDetails('authorization_details contains an object that was not granted.');
  }
  return requested;
}
