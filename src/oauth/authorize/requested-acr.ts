import { OAuthError } from '../../platform/errors.ts';
import { asObject, isObject } from '../../platform/is-object.ts';
import { tryParseJson } from '../../platform/json-text.ts';
import { type Acr, lowestAcr } from '../../platform/proof.ts';
import { type AuthorizationParameters, singleValue } from './authorization-parameters.ts';

export const unmetRequirements = () =>
  new OAuthError('unmet_authentication_requirements', 'The user cannot sign in at the requested level.');

/** The lowest accepted level of `acr_values` or the claim `acr` (OIDC Core 3.1.2.1, 5.5.1.1; RFC 9470 4). */
export function requestedAcr(parameters: AuthorizationParameters): Acr | undefined {
  const claim = acrClaim(singleValue(parameters, 'claims'));
  const values = claim?.values ?? (singleValue(parameters, 'acr_values') ?? '').split(' ').filter(Boolean);
  const level = lowestAcr(values);
  if (level === undefined && claim?.essential && values.length > 0) throw unmetRequirements();
  return level;
}

/** `readClaims` reports other errors in `claims`. */
function acrClaim(text: string | undefined) {
  const { acr } = asObject(asObject(tryParseJson(text ?? '')).id_token);
  if (!isObject(acr)) return undefined;
  const values: readonly unknown[] | undefined = Array.isArray(acr.values)
    ? acr.values
    : acr.value === undefined
      ? undefined
      : [acr.value];
  return values && { essential: acr.essential === true, values };
}
