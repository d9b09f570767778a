import type { RunningGatehouse } from '../start.ts';

/** Says where everything is: as a page for the person who started it, as log lines for a program. */
export function announce({ context: { config, log } }: RunningGatehouse, forPeople: boolean): void {
  const base = config.baseUrl;
  const places: [string, string][] = [
    ['API', `${base}/v1`],
    ['API reference', `${base}/docs`],
    ['Login page', `${base}/${config.loginPageUrl}`],
    ['Account settings', `${base}/settings`],
    ['Console', `${base}/admin`],
  ];
  if (!forPeople) {
    for (const [name, place] of places) log.info({ url: place }, name);
    return;
  }
  const lines = places.map(([name, place]) => `    ${name.padEnd(18)}${place}`);
  console.log(`\n  Gatehouse is open.\n\n${lines.join('\n')}\n\n  Stop it with Ctrl-C.\n`);
}
