import type { Context } from '../../../database/context.ts';
import type { KeyRing } from '../../../database/keys/key-ring.ts';
import { type AccessTokenClaims, readAccessToken } from './access-token.ts';
import { readPersonalToken } from './personal-token.ts';

/** The claims of a token of this service: a signed one holds them, a short one stands for its session's. */
export const readOwnToken = (context: Context, keys: KeyRing, token: string): Promise<AccessTokenClaims | undefined> =>
  token.startsWith('gh_') ? readPersonalToken(context, token) : readAccessToken(keys, token);
