import type { Config } from '../../config.ts';
import { keepFirstPassword } from '../../users/registration/first-password.ts';
import type { Started } from './started.ts';

const placesOf = ({ baseUrl, loginPageUrl }: Config): [string, string][] => [
  ['API', `${baseUrl}/v1`],
  ['API reference', `${baseUrl}/docs`],
  ['Login page', `${baseUrl}/${loginPageUrl}`],
  ['Account settings', `${baseUrl}/settings`],
  ['Console', `${baseUrl}/admin`],
];

/** Says where everything is: as a page for the person who started it, as log lines for a program. */
export function announce(service: Started, forPeople: boolean): void {
  if (forPeople) announceToPeople(service);
  else announceInLog(service);
}

function announceToPeople({ context: { config }, administrator }: Started): void {
  const lines = placesOf(config).map(([name, url]) => line(name, url));
  if (administrator) {
    lines.push('', line('Administrator', administrator.email));
    if (administrator.password) lines.push(line('Password', `${administrator.password}   (shown only this once)`));
  }
  console.log(`\n  Gatehouse is open.\n\n${lines.join('\n')}\n\n  Stop it with Ctrl-C.\n`);
}

const line = (name: string, value: string): string => (name ? `    ${name.padEnd(18)}${value}` : '');

function announceInLog({ context: { config, log }, url: address, administrator }: Started): void {
  log.info({ address }, 'listening');
  for (const [name, url] of placesOf(config)) log.info({ url }, name);
  if (!administrator) return;
  log.info({ email: administrator.email }, 'made the first administrator');
  keepFirstPassword(config, log, administrator);
}
