import { authorizationDetailsTypes } from './authorization-details-types.ts';
import { integer, list, oneOf, texts } from './setting.ts';

/** RFC 8707 2: absolute, and without a fragment. */
const isResourceUri = (uri: string): boolean => URL.canParse(uri) && !/[#\s]/.test(uri);

const year = 365 * 86_400;

/** Lifetimes, scopes and signatures of tokens. */
export const tokenSettings = {
  accessTokenTtl: integer('ACCESS_TOKEN_TTL', 3600, 'the lifetime of an access token, in seconds', 1, year),
  refreshTokenTtl: integer(
    'REFRESH_TOKEN_TTL',
    30 * 86_400,
    'the lifetime of a refresh token, in seconds',
    1,
    10 * year,
  ),
  refreshGrace: integer(
    'REFRESH_GRACE',
    10,
    'the number of seconds for which a used refresh token still returns its successor. The time starts with the first use of the successor',
    0,
    300,
  ),
  sessionMaxAge: integer(
    'SESSION_MAX_AGE',
    0,
    'the number of seconds after which a session ends, even if it is refreshed. 0: no limit',
    0,
    10 * year,
  ),
  freshProof: integer(
    'FRESH_PROOF',
    900,
    'the number of seconds for which a proof of identity is recent enough for sensitive operations. 0: these operations require no proof',
    0,
    year,
  ),
  personalTokenTtl: integer(
    'PERSONAL_TOKEN_TTL',
    year,
    'the lifetime of a personal access token, in seconds',
    1,
    10 * year,
  ),
  signingAlgorithm: oneOf(
    'SIGNING_ALGORITHM',
    ['ES256', 'EdDSA', 'RS256'],
    'ES256',
    'the signature algorithm of new signing keys',
  ),
  scopes: texts(
    'SCOPES',
    'your own scopes, each with a text for the consent page. The text tells the user what the application can do',
    'scopes with their texts, such as reports:run=Run your reports; invoices:pay=Pay your invoices',
    (scope, text) => /^[a-z][a-z0-9_.-]*(:[a-z][a-z0-9_.-]*)*$/.test(scope) && /^[^\p{Cc}\p{Cf}]{1,200}$/u.test(text),
  ),
  authorizationDetailsTypes,
  resourceServers: list<string>(
    'RESOURCE_SERVERS',
    [],
    'other services that can be the audience of an access token (RFC 8707)',
    'a list of absolute URIs without a fragment, such as https://files.example.com',
    isResourceUri,
  ),
} as const;
