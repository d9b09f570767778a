import { type Command, InvalidArgumentError } from 'commander';
import { commitAndInvalidate } from '../../../database/bus.ts';
import { openKeyRing } from '../../../database/keys/key-ring.ts';
import { systemSource } from '../../../http/request-source.ts';
import { findClient } from '../../../oauth/clients/client-store.ts';
import { addClientSecret } from '../../../oauth/clients/secrets/client-secrets.ts';
import { OperatorError } from '../../../platform/errors.ts';
import { recordEvent } from '../../../resources/audit/record-event.ts';
import { withContext } from '../../operator/with-context.ts';

interface Flags {
  keepOld: number;
  json?: boolean;
}

export function addClientSecretCommand(client: Command): void {
  client
    .command('secret')
    .description('Create a new secret for a client and show it once.')
    .argument('<client_id>', 'the client_id, as `client list` shows it')
    .option('--keep-old <hours>', 'the number of hours for which the old secret still works (0 to 720)', hours, 0)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  gatehouse client secret mobile-app\n  gatehouse client secret 0198c1c2-… --keep-old 24',
    )
    .action(async (clientId: string, { keepOld, json }: Flags) => {
      const secret = await renew(clientId, keepOld);
      if (json) return console.log(JSON.stringify({ client_id: clientId, client_secret: secret }, null, 2));
      console.log(`client_secret  ${secret}   (shown only this once)`);
      console.log(
        keepOld > 0 ? `The old secret works for another ${keepOld} hours.` : 'The old secret no longer works.',
      );
    });
}

const renew = (clientId: string, oldHours: number) =>
  withContext(async (context) => {
    const keys = await openKeyRing(context);
    const client = await findClient(context.database.db, clientId);
    if (client?.public) throw new OperatorError(`"${clientId}" is public: a public client cannot have a secret.`);
    if (!client) {
      throw new OperatorError(
        `There is no client "${clientId}", or its owner is disabled. List them with: gatehouse client list`,
      );
    }
    const { proxiedClients } = context.config;
    if (proxiedClients.length === 0 && clientId === 'web-admin') {
      throw new OperatorError(
        'The service makes the secret of "web-admin" itself. Set CLIENT_WEB_ADMIN_ID and CLIENT_WEB_ADMIN_SECRET to choose one.',
      );
    }
    if (proxiedClients.some(({ id }) => id === clientId)) {
      throw new OperatorError(`The secret of "${clientId}" comes from the settings: change it there, and restart.`);
    }
    return commitAndInvalidate(context.database, async (tx, invalidate) => {
      const secret = await addClientSecret(context, keys, tx, invalidate, { clientId, oldHours });
      await recordEvent(context, tx, { type: 'client.secret_added', clientId, source: systemSource });
      return secret;
    });
  });

function hours(text: string): number {
  if (!/^\d{1,3}$/.test(text) || Number(text) > 720)
    throw new InvalidArgumentError('It takes a whole number from 0 to 720.');
  return Number(text);
}
