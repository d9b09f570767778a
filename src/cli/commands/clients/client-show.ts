import type { Command } from 'commander';
import { describeFields, fieldsOfRow } from '../../../oauth/clients/application-store.ts';
import { listClients, listSecrets } from '../../../oauth/clients/client-store.ts';
import { findRegistration } from '../../../oauth/registration/registration-store.ts';
import { listSessions } from '../../../oauth/sessions/store/session-store.ts';
import { OperatorError } from '../../../platform/errors.ts';
import { withContext } from '../../operator/with-context.ts';
import { printFields, showTime } from '../../terminal/print.ts';

export function addClientShow(client: Command): void {
  client
    .command('show')
    .description('Show a client: its owner, its scopes, and the expiry of its secrets.')
    .argument('<client_id>', 'the client_id, as `client list` shows it')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  gatehouse client show mobile-app')
    .action(async (id: string, { json }: { json?: boolean }) => printFields(await describe(id), json));
}

const describe = (id: string) =>
  withContext(async ({ config, database: { db }, now }) => {
    const client = (await listClients(db)).find((one) => one.id === id);
    if (!client) throw new OperatorError(`There is no client "${id}". List them with: gatehouse client list`);
    const secrets = await listSecrets(db, id, now());
    const registration = await findRegistration(db, id);
    return {
      client_id: id,
      type: client.type,
      name: client.name,
      owner: client.user_id,
      scopes: JSON.parse(client.scopes) as string[],
      ...(client.type === 'application' ? describeFields(fieldsOfRow(client)) : {}),
      ...(registration ? { registered: registration.kind === 'dynamic' ? 'by itself' : 'by its address' } : {}),
      from_settings: config.proxiedClients.some((one) => one.id === id),
      secrets: secrets.map(({ expires_at }) => (expires_at === null ? 'works' : `until ${showTime(expires_at)}`)),
      sessions: (await listSessions(db, now(), { clientId: id })).length,
      created_at: showTime(client.created_at),
    };
  });
