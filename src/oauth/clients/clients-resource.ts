import { Type } from 'typebox';
import type { ProxiedClient } from '../../config/config.ts';
import type { KeyRing } from '../../database/keys/key-ring.ts';
import { forbidApplications } from '../../http/gate/forbid-applications.ts';
import { requireProof } from '../../http/gate/require-proof.ts';
import { notifyOwner } from '../../identity/account-mails/request-mail.ts';
import type { Mail } from '../../identity/mail/mail.ts';
import { type Caller, isAdmin } from '../../platform/caller.ts';
import { conflict, forbidden, unprocessable } from '../../platform/errors.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import { anyOf, equals, ownRows, type Rule, role } from '../../resources/declaration/access.ts';
import { action, defineResource, type WriteCall } from '../../resources/declaration/define-resource.ts';
import { belongsTo, hasMany } from '../../resources/declaration/relations.ts';
import { changesBetween } from '../../resources/write/changes.ts';
import { checkApplication } from './check-application.ts';
import { clientFields, omittedScopes } from './client-fields.ts';
import { removeClient, withDefaults } from './client-store.ts';
import { mayCallLoopback } from './client-uris.ts';
import { scopeErrors } from './scopes/requested-scopes.ts';
import { holdsScopes, identityScopes, type KnownScopes } from './scopes/scopes.ts';
import { addClientSecret, createClientWithSecret } from './secrets/client-secrets.ts';

const maxKeepHours = 720;

/** These fields decide who gets tokens of the client. */
const accessFields = ['jwks', 'jwks_uri', 'token_endpoint_auth_method', 'redirect_uris'];

/** A secret, a key or a redirect URI gives access to everything that the client may request. */
function requireScopesOfClient({ scopes: held }: Caller, scopes: readonly string[]): void {
  if (!holdsScopes(held, scopes)) throw forbidden('This client has more rights than the token that you sent.');
}

const ownClient: Rule = ({ kind, clientId }: Caller) =>
  kind === 'client' && clientId !== null && equals('id', clientId);

const secretBody = Type.Unsafe<{ keep_old_hours?: number | string } | null>({
  type: ['object', 'null'],
  additionalProperties: false,
  properties: {
    keep_old_hours: {
      // A form sends numbers as text.
      anyOf: [
        { type: 'integer', minimum: 0, maximum: maxKeepHours },
        { type: 'string', pattern: '^\\d{1,3}$' },
      ],
      description: 'The number of hours for which the old secret still works. Default: it stops working at once',
    },
  },
});

const secretResponse = Type.Object({
  id: Type.String(),
  client_id: Type.String(),
  client_secret: Type.String({ description: 'Shown only in this response' }),
});

/** A public application has no secret. */
const revealedFields = Type.Object({
  client_secret: Type.Optional(Type.String({ description: 'Shown only in this response' })),
});

/** Clients: users see their third-party clients, administrators see all. Secrets are shown once. */
export function clientsResource(
  keys: KeyRing,
  knownScopes: KnownScopes,
  proxiedClients: readonly ProxiedClient[],
  mail: Mail,
) {
  const isProxied = (clientId: string) => proxiedClients.some(({ id }) => id === clientId);
  const record = (call: WriteCall, type: string, client: { id: string; user_id: string | null }, data = {}) => {
    const { context, tx, caller, source } = call;
    const ids = { userId: client.user_id, clientId: client.id, actorId: caller.userId };
    return recordEvent(context, tx, { type, ...ids, source, data });
  };

  /** Secrets and keys work without a password, so the owner is notified of each new one. */
  const notifyOwnerOf = async (call: WriteCall, userId: string | null, name: string, what: string) => {
    const { context, tx, source } = call;
    if (userId === null) return;
    const data = { what, named: name, address: source.address };
    await notifyOwner({ context, mail }, tx, { userId, template: 'new-access', data, source });
  };

  return defineResource({
    name: 'clients',
    managed: false,
    changes: true,
    // This resource creates secrets.
    mcp: false,
    idType: 'text',
    fields: clientFields,
    relations: {
      user: belongsTo('users', { by: 'user_id' }),
      tokens: hasMany('tokens', { by: 'client_id' }),
      consents: hasMany('consents', { by: 'client_id' }),
    },
    // A client cannot create clients, because they would outlive it.
    access: { read: anyOf(role('admin'), ownRows, ownClient), write: anyOf(role('admin'), ownRows) },
    reveals: revealedFields,
    // Ids ascend with time, and they already have an index.
    defaultOrder: '-id',
    hooks: {
      beforeWrite({ caller, now, context: { config } }, { operation, values, before }) {
        if (operation === 'delete') return;
        forbidApplications(caller);
        const type = before?.type ?? values.type ?? 'personal';
        if (values.type === 'password') {
          const message = 'type: only administrators create first-party clients.';
          if (!isAdmin(caller)) throw unprocessable([{ field: 'type', code: 'forbidden', message }]);
          delete values.user_id;
        }
        if (type === 'application' && values.scopes === omittedScopes) values.scopes = [...identityScopes];
        const allowLoopback = mayCallLoopback(config);
        const { signingAlgorithm } = config;
        const errors = [
          ...(values.scopes ? scopeErrors(knownScopes, caller, values.scopes, { for: type }) : []),
          ...checkApplication({ type, values, before, caller, allowLoopback, signingAlgorithm }),
        ];
        if (errors.length > 0) throw unprocessable(errors);
        const changed = before ? changesBetween(before, { ...before, ...values }) : {};
        if (before && accessFields.some((name) => name in changed)) {
          // Only the earlier scopes: new ones were checked above. Identity scopes require no right of the caller.
          requireScopesOfClient(
            caller,
            before.scopes.filter((scope) => !identityScopes.includes(scope)),
          );
        }
        requireProof(caller, now);
      },
      async afterWrite(call, { operation, before, after, values }) {
        if (operation !== 'update' || !after) return;
        call.invalidate({ kind: 'client', id: after.id });
        const changes = changesBetween(before, after);
        await record(call, 'client.updated', after, { fields: Object.keys(values), changes });
        if ((changes.jwks && after.jwks) || (changes.jwks_uri && after.jwks_uri)) {
          await notifyOwnerOf(call, after.user_id, after.name, 'a new key of an external application');
        }
      },
    },
    async create(call, values) {
      const { context, tx, invalidate, caller, source } = call;
      const { type = 'personal', name = '', user_id: userId = null, scopes = [] } = values;
      const newClient = { type, name, userId, scopes, actorId: caller.userId, source, ...withDefaults(values) };
      const client = await createClientWithSecret(context, keys, tx, invalidate, newClient);
      if (!client) throw conflict('A client with this id already exists.');
      if (client.secret !== undefined) call.reveal({ client_secret: client.secret });
      await notifyOwnerOf(call, client.userId, name, 'a new external application');
      return client.id;
    },
    async remove(call, client) {
      if (isProxied(client.id)) {
        throw conflict('A login proxy in the settings uses this client. Remove it from the settings first.');
      }
      await removeClient(call.tx, call.invalidate, client.id);
      const { type, name, scopes } = client;
      await record(call, 'client.deleted', client, { changes: changesBetween({ type, name, scopes }, undefined) });
    },
    actions: [
      action<typeof secretBody, typeof clientFields>({
        name: 'secrets',
        summary: 'Create a new client secret, shown only in this response',
        body: secretBody,
        response: secretResponse,
        status: 201,
        run: ({ row, body, transaction }) =>
          transaction(async (call) => {
            forbidApplications(call.caller);
            requireScopesOfClient(call.caller, row.scopes);
            if (row.public) throw conflict('A public application has no secret, because it cannot keep a secret.');
            if (isProxied(row.id)) {
              throw conflict('The secret of this client comes from the settings. Change it there.');
            }
            const oldHours = Number(body?.keep_old_hours ?? 0);
            if (oldHours > maxKeepHours) {
              const message = `keep_old_hours must be at most ${maxKeepHours}.`;
              throw unprocessable([{ field: 'keep_old_hours', code: 'maximum', message }]);
            }
            requireProof(call.caller, call.now);
            const newSecret = { clientId: row.id, oldHours };
            const secret = await addClientSecret(call.context, keys, call.tx, call.invalidate, newSecret);
            await record(call, 'client.secret_added', row, { keep_old_hours: oldHours });
            await notifyOwnerOf(call, row.user_id, row.name, 'a new secret of an external application');
            return { id: row.id, client_id: row.id, client_secret: secret };
          }),
      }),
    ],
  });
}
