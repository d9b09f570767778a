import type { Db } from '../../database/database.ts';
import { listClients } from '../../oauth/clients/client-store.ts';
import { everyScope } from '../../oauth/clients/scopes/scopes.ts';
import { parseJson } from '../../platform/json-text.ts';
import { type Finding, notice, ok } from './finding.ts';

const shown = 10;

export async function checkApplications(db: Db): Promise<Finding[]> {
  const applications = (await listClients(db)).filter(({ type }) => type === 'application');
  const trusted = applications.filter((client) => client.trusted === 1);
  const report = (isRisky: (client: (typeof trusted)[number]) => boolean, summary: string, fix: string) => {
    const ids = trusted.filter(isRisky).map(({ id }) => id);
    const names = ids.slice(0, shown).join(', ') + (ids.length > shown ? ', …' : '');
    return ids.length === 0 ? [] : [notice('applications', summary, fix, { names })];
  };
  const findings = [
    // RFC 8252 8.6: every program on the device can use the id of a public application.
    ...report(
      (client) => client.public === 1,
      'public and trusted: any program can impersonate these applications without asking people for consent: {names}',
      'Set trusted to false, so that people are asked for consent, or let a server of the application keep a secret.',
    ),
    ...report(
      ({ scopes }) => parseJson(scopes).includes(everyScope),
      'trusted and registered for everything (*): {names}',
      'Name the scopes that they need.',
    ),
  ];
  return findings.length > 0 ? findings : [ok('applications', `${applications.length}, ${trusted.length} trusted`)];
}
