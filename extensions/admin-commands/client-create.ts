import { type Command, Option } from 'commander';
import { findUserByText } from '../../src/cli/operator/find-user.ts';
import { withContext } from '../../src/cli/operator/with-context.ts';
import { UsageError } from '../../src/cli/terminal/usage-error.ts';
import { commitAndInvalidate } from '../../src/database/bus.ts';
import { openKeyRing } from '../../src/database/keys/key-ring.ts';
import { systemSource } from '../../src/http/request-source.ts';
import type { ClientType } from '../../src/oauth/clients/client-store.ts';
import { scopeErrors } from '../../src/oauth/clients/scopes/requested-scopes.ts';
import { everyScope, identityScopes, parseScope } from '../../src/oauth/clients/scopes/scopes.ts';
import { createClientWithSecret } from '../../src/oauth/clients/secrets/client-secrets.ts';
import { systemCaller } from '../../src/platform/caller.ts';
import { OperatorError } from '../../src/platform/errors.ts';
import { type ApplicationFlags, addApplicationFlags, readApplicationFlags } from './application-flags.ts';

interface Flags extends ApplicationFlags {
  id?: string;
  type: ClientType;
  scope?: string;
  owner?: string;
  json?: boolean;
}

export function addClientCreate(client: Command): void {
  const command = client
    .command('create')
    .description('Create a client and show its secret once.')
    .argument('<name>', 'the name that users see')
    .addOption(
      new Option(
        '--type <type>',
        'password: your own application; personal: a program that acts for its owner; application: a program that users sign in to',
      )
        .choices(['password', 'personal', 'application'])
        .default('personal'),
    )
    .option('--id <id>', 'the client_id (default: a new UUID)')
    .option(
      '--scope <scopes>',
      `the scopes that it can request, separated by spaces (default: ${everyScope}, and for an application the OpenID Connect scopes)`,
    )
    .option('--owner <user>', 'the owner (not for a password client): an email, a username, a phone number or an id');
  addApplicationFlags(command)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  gatehouse client create "Mobile app" --type password\n  gatehouse client create Reports --owner ada@example.com --scope cars:read\n  gatehouse client create Notes --application --public \\\n    --redirect-uri https://notes.example/callback',
    )
    .action(async (name: string, flags: Flags) => {
      const created = await create(name, flags);
      if (flags.json) return console.log(JSON.stringify(created, null, 2));
      console.log(`client_id      ${created.client_id}`);
      if (created.client_secret) console.log(`client_secret  ${created.client_secret}   (shown only this once)`);
    });
}

const create = (name: string, { id, scope, owner, ...flags }: Flags) =>
  withContext(async (context) => {
    const type = flags.application ? 'application' : flags.type;
    const fields = readApplicationFlags(flags, { type, name, config: context.config });
    if (id !== undefined && !/^[\x21-\x7e]{1,128}$/.test(id)) {
      throw new UsageError('--id takes 1 to 128 printable ASCII characters without spaces.');
    }
    if (owner !== undefined && type === 'password') {
      throw new UsageError('--owner cannot be used with --type password: the operator owns password clients.');
    }
    const user = owner === undefined ? undefined : await findUserByText(context, owner);
    const { knownScopes } = await import('../../src/main/builtin-resources.ts');
    const defaultScopes = type === 'application' ? identityScopes : [everyScope];
    const scopes = scope === undefined ? defaultScopes : parseScope(scope);
    const [problem] = scopeErrors(await knownScopes(context.config), systemCaller, scopes, { for: type });
    if (problem) throw new OperatorError(problem.message);
    const keys = await openKeyRing(context);
    return commitAndInvalidate(context.database, async (tx, invalidate) => {
      const owned = { userId: user?.id ?? null, actorId: null, source: systemSource };
      const newClient = { id, type, name, scopes, ...owned, ...fields };
      const client = await createClientWithSecret(context, keys, tx, invalidate, newClient);
      if (!client) throw new OperatorError(`A client "${id}" already exists. Choose another --id.`);
      return { client_id: client.id, client_secret: client.secret, type, name, scopes };
    });
  });
