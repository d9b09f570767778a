import type { Command } from 'commander';
import { localNow } from '../../src/cli/terminal/local-clock.ts';
import { printable } from '../../src/cli/terminal/table.ts';
import { loadConfig } from '../../src/config/config.ts';
import { OperatorError } from '../../src/platform/errors.ts';
import { deleteTokens, findTokens, type StoredTokens, saveTokens } from './credentials-file.ts';
import {
  callOAuth,
  readServiceAddress,
  readTokens,
  requestDeviceAuthorization,
  waitForTokens,
} from './device-login.ts';

interface Flags {
  url?: string;
  scope: string;
  admin?: true;
}

export function addLogin(program: Command): void {
  program
    .command('login')
    .summary('Sign in to a service on the command line.')
    .description('Sign in to a service with a browser on any device, and store the token for scripts.')
    .option('--url <url>', 'the address of the service (default: BASE_URL)')
    .option('--scope <scopes>', 'the scopes of the token, separated by spaces; * is everything that you may do', '*')
    .option(
      '--admin',
      'use your roles too, for the data of all users; you must confirm this each time, with a recent proof of identity',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  gatehouse login --url https://auth.example.com\n  curl -H "Authorization: Bearer $(gatehouse token)" \\\n    -H "Accept: application/json" https://auth.example.com/v1/users/me',
    )
    .action(async (flags: Flags) => {
      const service = readServiceAddress(flags.url ?? (await loadConfig()).baseUrl);
      const scope = flags.admin ? `${flags.scope} admin` : flags.scope;
      await logIn(service, scope, (line) => console.log(line));
    });
}

/** Signs a user in at a service. `wait` waits between two polls. */
export async function logIn(
  service: string,
  scope: string,
  say: (line: string) => void,
  wait?: (ms: number) => Promise<unknown>,
): Promise<void> {
  // Without offline_access there would be no refresh token, and the login would end within an hour.
  const requested = [...new Set([...scope.split(' ').filter(Boolean), 'offline_access'])].join(' ');
  const invitation = await requestDeviceAuthorization(service, requested);
  // The service is not trusted.
  say(`Open      ${printable(invitation.address)}`);
  say(`and type  ${printable(invitation.userCode)}`);
  say(`\nOr open   ${printable(invitation.addressWithCode)}\n\nWaiting …`);
  const tokens = await waitForTokens(service, requested, invitation, wait);
  const path = saveTokens(service, tokens, { makeCurrent: true });
  say(`Signed in to ${service}. The token is stored in ${path}; \`npx gatehouse-server token\` prints it.`);
}

/** The minimum remaining lifetime of a token for a script. */
const minLifetimeMs = 60_000;

export function addToken(program: Command): void {
  program
    .command('token')
    .summary('Print an access token for scripts.')
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

const notSignedIn = (): OperatorError =>
  new OperatorError('You are not signed in. Sign in first: npx gatehouse-server login');

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
    throw new OperatorError('The login has ended. Sign in again: npx gatehouse-server login');
  }
  if (!response.ok) throw new OperatorError(`${service} refused: ${response.description}`);
  const tokens = readTokens(response, scope);
  saveTokens(service, tokens);
  return tokens;
}

export function addLogout(program: Command): void {
  program
    .command('logout')
    .summary('Sign out on the command line.')
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
