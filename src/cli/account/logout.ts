import type { Command } from 'commander';
import { findKept, forgetTokens } from './credentials-file.ts';
import { callOAuth } from './oauth-call.ts';
import { readServiceAddress } from './service-address.ts';
import { notSignedIn } from './token.ts';

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

/** The token goes from this machine in any case; where the service could not be told, that is said. */
async function logOut(service: string | undefined): Promise<string> {
  const kept = findKept(service);
  if (!kept) throw notSignedIn();
  const { url, tokens } = kept;
  forgetTokens(url);
  const { ok, description } = await callOAuth(url, 'revoke', { token: tokens.refreshToken ?? tokens.accessToken });
  return ok
    ? `Signed out of ${url}.`
    : `The token is removed from this machine, but ${url} did not end the session: ${description}`;
}
