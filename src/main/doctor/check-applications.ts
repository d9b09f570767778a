import type { Db } from '../../database/database.ts';
import { type ClientRow, listClients } from '../../oauth/clients/client-store.ts';
import { everyScope } from '../../oauth/clients/scopes/scopes.ts';
import { parseJson } from '../../platform/json-text.ts';
import { type Finding, notice, ok } from './finding.ts';

const shown = 10;
const names = (clients: readonly ClientRow[]): string =>
  clients
    .slice(0, shown)
    .map(({ id }) => id)
    .join(', ') + (clients.length > shown ? ', …' : '');

export async function checkApplications(db: Db): Promise<Finding[]> {
  const applications = (await listClients(db)).filter(({ type }) => type === 'application');
  const trusted = applications.filter((client) => client.trusted === 1);
  // RFC 8252 8.6: every program on the device can use the id of a public application.
  const publicClients = trusted.filter((client) => client.public === 1);
  const almighty = trusted.filter(({ scopes }) => parseJson(scopes).includes(everyScope));
  const findings = [
    ...(publicClients.length === 0
      ? []
      : [
          notice(
            'applications',
            'public and trusted: any program can impersonate these applications without asking people for consent: {names}',
            'Set trusted to false, so that people are asked for consent, or let a server of the application keep a secret.',
            { names: names(publicClients) },
          ),
        ]),
    ...(almighty.length === 0
      ? []
      : [
          notice(
            'applications',
            'trusted and registered for everything (*): {names}',
            'Name the scopes that they need.',
            { names: names(almighty) },
          ),
        ]),
  ];
  return findings.length > 0 ? findings : [ok('applications', `${applications.length}, ${trusted.length} trusted`)];
}
