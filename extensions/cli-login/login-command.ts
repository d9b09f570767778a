import type { Command } from 'commander';
import { printable } from '../../src/cli/terminal/table.ts';
import { loadConfig } from '../../src/config/config.ts';
import { saveTokens } from './credentials-file.ts';
import { requestDeviceAuthorization, waitForTokens } from './device-login.ts';
import { readServiceAddress } from './oauth-call.ts';

interface Flags {
  url?: string;
  scope: string;
  admin?: true;
}

export function addLogin(program: Command): void {
  program
    .command('login')
    .description('Sign in to a service with a browser on any device, and store the token for scripts.')
    .option('--url <url>', 'the address of the service (default: BASE_URL)')
    .option('--scope <scopes>', 'the scopes of the token, separated by spaces; * is everything that you may do', '*')
    .option(
      '--admin',
      'use your roles too, for the data of all users; you must confirm this each time, after a recent sign-in',
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
  say(`Signed in to ${service}. The token is stored in ${path}; \`gatehouse token\` prints it.`);
}
