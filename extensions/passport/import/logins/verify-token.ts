import { OperatorError } from '../../../../src/platform/errors.ts';
import { decryptLegacyRefreshToken, looksLikeLegacyRefreshToken } from '../../legacy-tokens/defuse.ts';
import { looksLikeLegacyJwt, readLegacyJwt } from '../../legacy-tokens/legacy-jwt.ts';
import { select } from '../../source/layout.ts';
import type { Source } from '../../source/source.ts';
import type { Plan } from '../pass.ts';
import { isAllowed } from './login-record.ts';

/** The row stores whole seconds. A larger difference means another time zone. */
const tolerance = 2000;

/** Verifies a real token: the best proof that keys, database and time zone match. Returns the result as text. */
export async function verifyToken(source: Source, plan: Plan, token: string, now: number): Promise<string> {
  if (looksLikeLegacyJwt(token)) return verifyAccess(source, plan, token, now);
  if (looksLikeLegacyRefreshToken(token)) return verifyRefresh(source, plan, token, now);
  throw new OperatorError(
    '--verify: this is neither an access token (a JWT) nor a refresh token (def50200…) of Passport.',
  );
}

async function verifyAccess(source: Source, plan: Plan, token: string, now: number): Promise<string> {
  const claims = readLegacyJwt(token, plan.publicKey);
  if (!claims) {
    throw new OperatorError(
      '--verify: the access token was not signed by the key of --public-key: it belongs to another service.',
    );
  }
  const row = await rowOf(source, plan, 'oauth_access_tokens', claims.jti);
  checkZone(plan, row?.expires_at, claims.expires);
  return verificationText('access', row && isAllowed(row), claims.expires * 1000 > now);
}

async function verifyRefresh(source: Source, plan: Plan, token: string, now: number): Promise<string> {
  const payload = decryptLegacyRefreshToken(token, plan.appKey);
  if (!payload) {
    throw new OperatorError(
      '--verify: the refresh token was not encrypted with this APP_KEY: the .env belongs to another service.',
    );
  }
  const row = await rowOf(source, plan, 'oauth_refresh_tokens', payload.refreshTokenId);
  checkZone(plan, row?.expires_at, payload.expires);
  return verificationText('refresh', row && isAllowed(row), payload.expires * 1000 > now);
}

async function rowOf(source: Source, { layout }: Plan, name: string, id: string) {
  const table = layout.find(name);
  if (!table) return undefined;
  const [row] = await source.withKeys(select(table, 'id', ['revoked', 'expires_at']), [id]);
  return row;
}

function checkZone({ clock }: Plan, inRow: string | null | undefined, expires: number): void {
  const read = clock.read(inRow);
  if (read === null || Math.abs(read - expires * 1000) <= tolerance) return;
  const hours = (read - expires * 1000) / 3_600_000;
  throw new OperatorError(
    `--verify: the token ends at ${new Date(expires * 1000).toISOString()}, and its row says ${inRow}, which is ${hours.toFixed(1)} h off in ${clock.zone}. Set the application's time zone with --timezone.`,
  );
}

function verificationText(kind: string, allowed: boolean | undefined, isLive: boolean): string {
  const found =
    allowed === undefined ? 'its row no longer exists, so it is rejected' : allowed ? 'it is allowed' : 'it is revoked';
  return `The ${kind} token belongs to this service: ${found}${isLive ? '' : ', and it has expired'}.`;
}
