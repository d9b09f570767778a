import { relative } from 'node:path';
import type { Config } from '../../config/config.ts';
import { type FirstAdministrator, logFirstAdministrator } from '../../identity/accounts/first-password.ts';
import type { RunningService } from '../../main/start.ts';
import { paint } from './paint.ts';

const placesOf = ({ baseUrl, loginPageUrl }: Config): [string, string][] => [
  ['API', `${baseUrl}/v1`],
  ['API reference', `${baseUrl}/docs`],
  ['Login page', `${baseUrl}/${loginPageUrl}`],
  ['Account settings', `${baseUrl}/settings`],
  ['Console', `${baseUrl}/admin`],
];

/** Shows the addresses of the service: as a page for people, as log lines for programs. */
export async function printAddresses(service: RunningService, isTerminal: boolean): Promise<void> {
  const { config, log } = service.context;
  if (isTerminal) announceToPeople(config);
  else announceInLog(service);
  const administrator = await service.administrator;
  if (!administrator) return;
  // Last, so that it is still visible when the other lines have scrolled away.
  if (isTerminal) administratorLines(administrator);
  else logFirstAdministrator(log, administrator);
}

function announceToPeople(config: Config): void {
  const lines = placesOf(config).map(([name, url]) => `    ${line(name, url)}`);
  console.log(`\n  ${paint('bold', 'Gatehouse is running.')}\n\n${lines.join('\n')}\n\n  Stop it with Ctrl-C.\n`);
}

const line = (name: string, value: string): string => `${name.padEnd(18)}${value}`;

function administratorLines({ email, password, file }: FirstAdministrator): void {
  const lines = [line('Administrator', email)];
  if (password) lines.push(line('Password', password));
  console.log(`${drawBox(lines).join('\n')}\n`);
  if (file) console.log(`  The password is in ${relative(process.cwd(), file)} until you have signed in.\n`);
  else if (password) console.log('  It is shown only this once.\n');
}

function drawBox(lines: readonly string[]): string[] {
  const width = Math.max(...lines.map(({ length }) => length));
  const edge = '─'.repeat(width + 2);
  return [`  ┌${edge}┐`, ...lines.map((text) => `  │ ${text.padEnd(width)} │`), `  └${edge}┘`];
}

function announceInLog({ context: { config, log }, url: address }: RunningService): void {
  log.info({ address }, 'listening');
  for (const [name, url] of placesOf(config)) log.info({ url }, name);
}
