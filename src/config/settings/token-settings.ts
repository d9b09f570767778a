import { integer, list, oneOf, texts } from './setting.ts';

/** RFC 8707 2: absolute, and without a fragment. */
const isResourceUri = (uri: string): boolean => URL.canParse(uri) && !/[#\s]/.test(uri);

const year = 365 * 86_400;

/** How long tokens live, and what signs them. */
export const tokenSettings = {
  accessTokenTtl: integer('ACCESS_TOKEN_TTL', 3600, "an access token's life in seconds", 1, year),
  refreshTokenTtl: integer('REFRESH_TOKEN_TTL', 30 * 86_400, "a refresh token's life in seconds", 1, 10 * year),
  refreshGrace: integer(
    'REFRESH_GRACE',
    10,
    'seconds for which a refresh token still gets its successor after that was first used',
    0,
    300,
  ),
  sessionMaxAge: integer(
    'SESSION_MAX_AGE',
    0,
    'seconds after which a login ends, however often it refreshes; 0: never',
    0,
    10 * year,
  ),
  freshProof: integer(
    'FRESH_PROOF',
    900,
    'seconds for which a proof of identity is recent enough for sensitive operations; 0: none is asked for',
    0,
    year,
  ),
  personalTokenTtl: integer('PERSONAL_TOKEN_TTL', year, "a personal access token's life in seconds", 1, 10 * year),
  signingAlgorithm: oneOf('SIGNING_ALGORITHM', ['ES256', 'EdDSA', 'RS256'], 'ES256', 'what new signing keys sign with'),
  scopes: texts(
    'SCOPES',
    'scopes of your own, and what each lets an application do, in words for whoever is asked for consent',
    'scopes with their texts, as reports:run=Run your reports; invoices:pay=Pay your invoices',
    (scope, text) => /^[a-z][a-z0-9_.-]*(:[a-z][a-z0-9_.-]*)*$/.test(scope) && /^[^\p{Cc}\p{Cf}]{1,200}$/u.test(text),
  ),
  authorizationDetailsTypes: texts(
    'AUTHORIZATION_DETAILS_TYPES',
    'types of authorization_details that applications may ask for (RFC 9396), and what each means, in words for whoever is asked for consent',
    'types with their texts, as payment_initiation=Make this payment',
    (type, text) => /^[a-zA-Z][\w.:/-]{0,199}$/.test(type) && /^[^\p{Cc}\p{Cf}]{1,200}$/u.test(text),
  ),
  resourceServers: list<string>(
    'RESOURCE_SERVERS',
    [],
    'other services that access tokens may be for (RFC 8707), beside this one',
    'a list of absolute URIs without a fragment, as https://files.example.com',
    isResourceUri,
  ),
} as const;
