import type { Command } from 'commander';
import { localNow } from '../../src/cli/terminal/local-clock.ts';
import { OperatorError } from '../../src/platform/errors.ts';
import { deleteTokens, findTokens, type StoredTokens, saveTokens } from './credentials-file.ts';
import { readTokens } from './device-login.ts';
import { callOAuth, readServiceAddress } from './oauth-call.ts';

/** The minimum remaining lifetime of a token for a script. */
const minLifetimeMs = 60_000;

export function addToken(program: Command): void {
  program
    .command('token')
    .description('Print a valid access token of the session that `gatehouse login` started.')
    .option('--url <url>', 'the address of the service (default: the one that you signed in to last)')
    .addHelpText(
      'after',
      '\nExamples:\n  curl -H "Authorization: Bearer $(gatehouse token)" \\\n    -H "Accept: application/json" https://auth.example.com/v1/users/me',
    )
    .action(async ({ url }: { url?: string }) =>
      console.log(await currentAccessToken(url === undefined ? undefined : readServiceAddress(url))),
    );
}

const notSignedIn = (): OperatorError => new OperatorError('You are not signed in. Sign in first: gatehouse login');

function requireTokens(service: string | undefined) {
  const stored = findTokens(service);
  if (!stored) throw notSignedIn();
  return stored;
}

/** The access token of the stored login, refreshed if it is about to end. Two concurrent scripts get the same successor. */
async function currentAccessToken(service: string | undefined): Promise<string> {
  const { url, tokens } = requireTokens(service);
  if (tokens.expiresAt - localNow() >= minLifetimeMs) return tokens.accessToken;
  return (await refresh(url, tokens)).accessToken;
}

async function refresh(service: string, { refreshToken, scope }: StoredTokens): Promise<StoredTokens> {
  if (refreshToken === undefined) throw notSignedIn();
  const response = await callOAuth(service, 'token', { grant_type: 'refresh_token', refresh_token: refreshToken });
  if (response.error === 'invalid_grant') {
    deleteTokens(service);
    throw new OperatorError('The login has ended. Sign in again: gatehouse login');
  }
  if (!response.ok) throw new OperatorError(`${service} refused: ${response.description}`);
  const tokens = readTokens(response, scope);
  saveTokens(service, tokens);
  return tokens;
}

export function addLogout(program: Command): void {
  program
    .command('logout')
    .description('End the session that `gatehouse login` started, and remove its token from this machine.')
    .option('--url <url>', 'the address of the service (default: the one that you signed in to last)')
    .addHelpText('after', '\nExamples:\n  gatehouse logout\n  gatehouse logout --url https://auth.example.com')
    .action(async ({ url }: { url?: string }) =>
      console.log(await logOut(url === undefined ? undefined : readServiceAddress(url))),
    );
}

/** Always removes the token from this machine. Reports if the service did not end the session. */
async function logOut(service: string | undefined): Promise<string> {
  const { url, tokens } = requireTokens(service);
  deleteTokens(url);
  const { ok, description } = await callOAuth(url, 'revoke', { token: tokens.refreshToken ?? tokens.accessToken });
  return ok
    ? `Signed out of ${url}.`
    : `The token is removed from this machine, but ${url} did not end the session: ${description}`;
}
