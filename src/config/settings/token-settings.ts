import { authorizationDetailsTypes } from './authorization-details-types.ts';
import { integer, list, oneOf, texts } from './setting.ts';

/** RFC 8707 2: absolute, and without a fragment. */
const isResourceUri = (uri: string): boolean => URL.canParse(uri) && !/[#\s]/.test(uri);

const year = 365 * 86_400;

/** Lifetimes, scopes and signatures of tokens. */
export const tokenSettings = {
  accessTokenTtl: integer(3600, 1, year).describe('the lifetime of an access token, in seconds'),
  refreshTokenTtl: integer(30 * 86_400, 1, 10 * year).describe('the lifetime of a refresh token, in seconds'),
  refreshGrace: integer(10, 0, 300).describe(
    'the number of seconds for which an old refresh token still returns the new one, counted from the first use of the new one',
  ),
  sessionMaxAge: integer(0, 0, 10 * year).describe(
    'the number of seconds after which a session ends, even if it is refreshed. 0: no limit',
  ),
  freshProof: integer(900, 0, year).describe(
    'the number of seconds for which a proof of identity is recent enough for sensitive operations. 0: these operations require no proof',
  ),
  personalTokenTtl: integer(year, 1, 10 * year).describe('the lifetime of a personal access token, in seconds'),
  signingAlgorithm: oneOf(['ES256', 'EdDSA', 'RS256'], 'ES256').describe('the signature algorithm of new signing keys'),
  scopes: texts(
    'scopes with their texts, such as reports:run=Run your reports; invoices:pay=Pay your invoices',
    (scope, text) => /^[a-z][a-z0-9_.-]*(:[a-z][a-z0-9_.-]*)*$/.test(scope) && /^[^\p{Cc}\p{Cf}]{1,200}$/u.test(text),
  ).describe(
    'your own scopes, each with a text for the consent page. The text tells the user what the application can do',
  ),
  authorizationDetailsTypes,
  resourceServers: list<string>(
    [],
    'a list of absolute URIs without a fragment, such as https://files.example.com',
    isResourceUri,
  ).describe('other services that can be the audience of an access token (RFC 8707)'),
} as const;
