import { integer, oneOf } from './setting.ts';

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
  personalTokenTtl: integer('PERSONAL_TOKEN_TTL', year, "a personal access token's life in seconds", 1, 10 * year),
  signingAlgorithm: oneOf('SIGNING_ALGORITHM', ['ES256', 'EdDSA', 'RS256'], 'ES256', 'what new signing keys sign with'),
} as const;
