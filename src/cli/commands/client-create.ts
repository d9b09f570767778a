import { type Command, Option } from 'commander';
import { systemCaller } from '../../caller.ts';
import type { ClientType } from '../../clients/client-store.ts';
import { makeClient } from '../../clients/make-client.ts';
import { wrongScopes } from '../../clients/requested-scopes.ts';
import { everyScope, parseScope } from '../../clients/scopes.ts';
import { openKeyRing } from '../../crypto/key-ring.ts';
import { commitAndInvalidate } from '../../database/bus.ts';
import { OperatorError } from '../../errors.ts';
import { systemSource } from '../../http/request-source.ts';
import { findUserByText } from '../operator/find-user.ts';
import { withContext } from '../operator/with-context.ts';

interface Flags {
  id?: string;
  type: ClientType;
  scope?: string;
  owner?: string;
  json?: boolean;
}

export function addClientCreate(client: Command): void {
  client
    .command('create')
    .description('Make a client and show its secret, once.')
    .argument('<name>', 'what people see')
    .addOption(
      new Option('--type <type>', 'password: your own application; personal: an external one')
        .choices(['password', 'personal'])
        .default('personal'),
    )
    .option('--id <id>', 'its client_id (default: a new UUID)')
    .option('--scope <scopes>', `what it may ask for, with spaces between (default: ${everyScope})`)
    .option('--owner <user>', 'the user whom a personal client belongs to: an email, a username or an id')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  gatehouse client create "Mobile app" --type password\n  gatehouse client create Reports --owner ada@example.com --scope "cars:read owners:read"',
    )
    .action(async (name: string, flags: Flags) => {
      const made = await create(name, flags);
      if (flags.json) return console.log(JSON.stringify(made, null, 2));
      console.log(`client_id      ${made.client_id}`);
      console.log(`client_secret  ${made.client_secret}   (shown only this once)`);
    });
}

const create = (name: string, { id, type, scope, owner }: Flags) =>
  withContext(async (context) => {
    if (id !== undefined && !/^[\x21-\x7e]{1,128}$/.test(id)) {
      throw new OperatorError('--id takes 1 to 128 printable ASCII characters without spaces.');
    }
    if (owner !== undefined && type === 'password') {
      throw new OperatorError('--owner is for personal clients: a password client is the operator’s own.');
    }
    const user = owner === undefined ? undefined : await findUserByText(context, owner);
    const { knownScopes } = await import('../../app.ts');
    const scopes = scope === undefined ? [everyScope] : parseScope(scope);
    const [wrong] = wrongScopes(await knownScopes(context.config), systemCaller, scopes, { for: type });
    if (wrong) throw new OperatorError(wrong.message);
    const keys = await openKeyRing(context);
    return commitAndInvalidate(context.database, async (tx, invalidate) => {
      const made = { id, type, name, userId: user?.id ?? null, scopes, actorId: null, source: systemSource };
      const client = await makeClient(context, keys, tx, invalidate, made);
      if (!client) throw new OperatorError(`There is a client "${id}" already. Choose another --id.`);
      return { client_id: client.id, client_secret: client.secret, type, name, scopes };
    });
  });
