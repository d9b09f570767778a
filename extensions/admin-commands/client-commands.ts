import type { Command } from 'commander';
import { withContext } from '../../src/cli/operator/with-context.ts';
import { maxHours, readHours } from '../../src/cli/terminal/option-values.ts';
import { addListOptions, type ListFlags, printFields, printRows, showTime } from '../../src/cli/terminal/print.ts';
import { commitAndInvalidate } from '../../src/database/bus.ts';
import { openKeyRing } from '../../src/database/keys/key-ring.ts';
import { systemSource } from '../../src/http/request-source.ts';
import { findClient, fromColumns, listClients } from '../../src/oauth/clients/client-store.ts';
import { addClientSecret } from '../../src/oauth/clients/secrets/client-secrets.ts';
import { listSecrets } from '../../src/oauth/clients/secrets/secret-store.ts';
import { listSessions } from '../../src/oauth/sessions/store/session-store.ts';
import { OperatorError } from '../../src/platform/errors.ts';
import { parseJson } from '../../src/platform/json-text.ts';
import { recordEvent } from '../../src/resources/audit/record-event.ts';
import { addClientCreate } from './client-create.ts';
import { asOperator } from './operator.ts';

function addClientSecretCommand(client: Command): void {
  client
    .command('secret')
    .description('Create a new secret for a client and show it once.')
    .argument('<client_id>', 'the client_id, as `client list` shows it')
    .option(
      '--keep-old <hours>',
      `the number of hours for which the old secret still works (0 to ${maxHours})`,
      (text) => readHours(text, 0),
      0,
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  gatehouse client secret mobile-app\n  gatehouse client secret 0198c1c2-… --keep-old 24',
    )
    .action(async (clientId: string, { keepOld, json }: { keepOld: number; json?: boolean }) => {
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
        `There is no client "${clientId}", or its owner is disabled. List them with: npx gatehouse-server client list`,
      );
    }
    const { proxiedClients } = context.config;
    if (proxiedClients.length === 0 && clientId === 'web-admin') {
      throw new OperatorError(
        'The service creates the secret of "web-admin" itself. Set CLIENT_WEB_ADMIN_ID and CLIENT_WEB_ADMIN_SECRET to choose your own.',
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

function addClientList(client: Command): void {
  addListOptions(client.command('list'))
    .description('List the clients. Secrets cannot be shown, because only their hashes are stored.')
    .addHelpText(
      'after',
      '\nExamples:\n  gatehouse client list\n  gatehouse client list --json | jq -r ".[].client_id"',
    )
    .action(async (flags: ListFlags) => {
      const rows = await withContext(({ database }) => listClients(database.db));
      printRows(
        rows.map(({ id, type, name, user_id, scopes, created_at }) => ({
          client_id: id,
          type,
          name,
          owner: user_id,
          scopes: parseJson(scopes),
          created_at: showTime(created_at),
        })),
        flags,
      );
    });
}

function addClientShow(client: Command): void {
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
    const client = (await listClients(db)).find((row) => row.id === id);
    if (!client)
      throw new OperatorError(`There is no client "${id}". List them with: npx gatehouse-server client list`);
    const secrets = await listSecrets(db, id, now());
    return {
      client_id: id,
      type: client.type,
      name: client.name,
      owner: client.user_id,
      scopes: parseJson(client.scopes),
      ...(client.type === 'application' ? fromColumns(client) : {}),
      ...(client.registration
        ? { registered: client.registration === 'dynamic' ? 'by itself' : 'by its address' }
        : {}),
      from_settings: config.proxiedClients.some((proxied) => proxied.id === id),
      secrets: secrets.map(({ expires_at }) => (expires_at === null ? 'works' : `until ${showTime(expires_at)}`)),
      sessions: (await listSessions(db, now(), { clientId: id })).length,
      created_at: showTime(client.created_at),
    };
  });

function addClientDelete(client: Command): void {
  client
    .command('delete')
    .description('Delete a client. Its secrets and tokens stop working immediately.')
    .argument('<client_id>', 'the client_id, as `client list` shows it')
    .addHelpText('after', '\nExamples:\n  gatehouse client delete reports')
    .action(async (id: string) => {
      await asOperator(({ remove }) => remove('clients', id));
      console.log(`${id} is deleted.`);
    });
}

export const clientCommands = [addClientCreate, addClientList, addClientShow, addClientSecretCommand, addClientDelete];
