import type { Command } from 'commander';
import { UsageError } from '../../src/cli/terminal/usage-error.ts';
import type { Config } from '../../src/config/config.ts';
import { type ApplicationInput, checkApplication } from '../../src/oauth/clients/check-application.ts';
import { type ApplicationFields, type ClientType, withDefaults } from '../../src/oauth/clients/client-store.ts';
import { mayCallLoopback } from '../../src/oauth/clients/client-uris.ts';
import { systemCaller } from '../../src/platform/caller.ts';
import type { FieldError } from '../../src/platform/errors.ts';

/** The options of `client create` for applications only. */
export interface ApplicationFlags {
  application?: boolean;
  public?: boolean;
  redirectUri?: string[];
  postLogoutRedirectUri?: string[];
  homepage?: string;
  logo?: string;
  backchannelLogout?: string;
  trusted?: boolean;
  requirePkce?: boolean;
}

const collect = (value: string, before: string[] = []): string[] => [...before, value];

export const addApplicationFlags = (command: Command): Command =>
  command
    .option('--application', 'a program that users sign in to: the same as --type application')
    .option('--public', 'application: it cannot keep a secret (browser, phone, desktop, command line)')
    .option(
      '--redirect-uri <uri>',
      'application: the URL to which users return after they sign in; may be repeated',
      collect,
    )
    .option(
      '--post-logout-redirect-uri <uri>',
      'application: the URL to which users can return after they sign out; may be repeated',
      collect,
    )
    .option('--homepage <uri>', 'application: the URL of its website')
    .option('--logo <uri>', 'application: the URL of its logo')
    .option('--backchannel-logout <uri>', 'application: the URL that Gatehouse calls when a user signs out')
    .option('--trusted', 'application: do not ask users for consent')
    .option('--require-pkce', 'application: require PKCE although it has a secret');

const flagOf = new Map([
  ['public', '--public'],
  ['redirect_uris', '--redirect-uri'],
  ['post_logout_redirect_uris', '--post-logout-redirect-uri'],
  ['homepage_uri', '--homepage'],
  ['logo_uri', '--logo'],
  ['backchannel_logout_uri', '--backchannel-logout'],
  ['trusted', '--trusted'],
  ['require_pkce', '--require-pkce'],
]);

/** The messages of the API begin with the field. Here the field is a flag. */
const inFlags = ({ field, message }: FieldError): string => {
  const flag = flagOf.get(field);
  return flag && message.startsWith(field) ? flag + message.slice(field.length) : message;
};

/** The values of the flags, with the same checks as the API. */
export function readApplicationFlags(
  flags: ApplicationFlags,
  { type, name, config }: { type: ClientType; name: string; config: Config },
): ApplicationFields {
  const values: ApplicationInput = {
    name,
    public: flags.public ?? false,
    redirect_uris: flags.redirectUri ?? [],
    post_logout_redirect_uris: flags.postLogoutRedirectUri ?? [],
    homepage_uri: flags.homepage ?? null,
    logo_uri: flags.logo ?? null,
    backchannel_logout_uri: flags.backchannelLogout ?? null,
    trusted: flags.trusted ?? false,
    require_pkce: flags.requirePkce ?? false,
  };
  const local = mayCallLoopback(config);
  const { signingAlgorithm } = config;
  const problems = checkApplication({ type, values, caller: systemCaller, allowLoopback: local, signingAlgorithm });
  if (problems.length > 0) throw new UsageError(problems.map(inFlags).join('\n'));
  return withDefaults(values);
}
