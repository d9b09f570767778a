import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { RunningGatehouse } from '../start.ts';

const placesOf = ({ baseUrl, loginPageUrl }: Config): [string, string][] => [
  ['API', `${baseUrl}/v1`],
  ['API reference', `${baseUrl}/docs`],
  ['Login page', `${baseUrl}/${loginPageUrl}`],
  ['Account settings', `${baseUrl}/settings`],
  ['Console', `${baseUrl}/admin`],
];

/** Says where everything is: as a page for the person who started it, as log lines for a program. */
export function announce(service: RunningGatehouse, forPeople: boolean): void {
  if (forPeople) announceToPeople(service);
  else announceInLog(service);
}

function announceToPeople({ context: { config }, administrator }: RunningGatehouse): void {
  const lines = placesOf(config).map(([name, url]) => line(name, url));
  if (administrator) {
    lines.push('', line('Administrator', administrator.email));
    if (administrator.password) lines.push(line('Password', `${administrator.password}   (shown only this once)`));
  }
  console.log(`\n  Gatehouse is open.\n\n${lines.join('\n')}\n\n  Stop it with Ctrl-C.\n`);
}

/** Logs are collected and read by many: the password goes into a file for the owner alone, and the log names it. */
function keepPassword({ dataDir, adminEmail }: Config, log: Logger, password: string): void {
  const file = join(dataDir, 'first-password');
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    rmSync(file, { force: true });
    writeFileSync(file, `${password}\n`, { flag: 'wx', mode: 0o600 });
    log.info({ file }, 'the password of the administrator is in this file; remove it when you have read it');
  } catch (err) {
    const mend = `gatehouse user password ${adminEmail}`;
    log.error({ err, file, mend }, 'the password of the administrator could not be written; set another');
  }
}

const line = (name: string, value: string): string => (name ? `    ${name.padEnd(18)}${value}` : '');

function announceInLog({ context: { config, log }, url: address, administrator }: RunningGatehouse): void {
  log.info({ address }, 'listening');
  for (const [name, url] of placesOf(config)) log.info({ url }, name);
  if (!administrator) return;
  const { email, password } = administrator;
  log.info({ email }, 'made the first administrator');
  if (password) keepPassword(config, log, password);
}
