import { Type } from 'typebox';
import { forbidApplications } from '../../../http/gate/forbid-applications.ts';
import { requireProof } from '../../../http/gate/require-proof.ts';
import { notifyOwner } from '../../../identity/account-mails/request-mail.ts';
import type { Mail } from '../../../identity/mail/mail.ts';
import { type Caller, userIdOf } from '../../../platform/caller.ts';
import { conflict, type FieldError, forbidden, unprocessable } from '../../../platform/errors.ts';
import { recordEvent } from '../../../resources/audit/record-event.ts';
import {
  all,
  anyOf,
  compare,
  equals,
  isNull,
  ownRows,
  type Rule,
  role,
} from '../../../resources/declaration/access.ts';
import { action, defineResource, type WriteCall } from '../../../resources/declaration/define-resource.ts';
import { belongsTo } from '../../../resources/declaration/relations.ts';
import { computed, list, oneOf, reference, text, timestamp } from '../../../resources/declare.ts';
import { scopeErrors } from '../../clients/scopes/requested-scopes.ts';
import { everyScope, holdsScopes, type KnownScopes } from '../../clients/scopes/scopes.ts';
import { endSessions } from '../end-sessions.ts';
import type { Sessions } from '../sessions.ts';
import { issuePersonalToken, renewPersonalToken, revealPersonalToken } from './personal-tokens.ts';

const maxLifetimeMs = 10 * 365 * 86_400_000;

/** A client cannot create tokens of its owner, because the owner has more rights. */
const ownClientRows: Rule = ({ kind, clientId }: Caller) =>
  kind === 'client' && clientId !== null && equals('client_id', clientId);

const fields = {
  type: oneOf(['session', 'personal'], { readOnly: true, default: 'personal', searchable: true, sortable: true }),
  name: text({ requiredToCreate: true, max: 100, searchable: true, sortable: true }),
  user_id: reference('users', { readOnly: true, searchable: true }),
  client_id: reference('clients', { readOnly: true, searchable: true }),
  scopes: list({ default: [everyScope], searchable: true }),
  created_at: timestamp({ required: true, readOnly: true, searchable: true, sortable: true }),
  expires_at: timestamp({ searchable: true, sortable: true, description: 'The default is set by PERSONAL_TOKEN_TTL' }),
  last_used_at: timestamp({ readOnly: true, searchable: true, sortable: true, description: 'Accurate to the minute' }),
  address: text({ readOnly: true, searchable: true, folded: 'stored' }),
  user_agent: text({ readOnly: true }),
  revealed: computed(
    {
      as: 'boolean',
      from: ['type', 'revealed_at'],
      nullable: true,
      description: 'Whether the value of a personal access token was shown; null for sessions',
    },
    ({ type, revealed_at }) => (type === 'personal' ? revealed_at !== null : null),
  ),
  revealed_at: timestamp({ hidden: true }),
  revoked_at: timestamp({ hidden: true }),
};

const revealResponse = Type.Object(
  { id: Type.String(), name: Type.Union([Type.String(), Type.Null()]), access_token: Type.String() },
  { additionalProperties: true },
);

const revealed = Type.Object({ access_token: Type.String({ description: 'Shown only in this response' }) });

const alreadyRevealed = () =>
  conflict('Only the value of a personal access token can be shown, and only once.', 'already_revealed');

function expiryErrors(expiresAt: number, now: number): FieldError[] {
  if (expiresAt <= now) return [{ field: 'expires_at', code: 'minimum', message: 'expires_at must be in the future.' }];
  if (expiresAt - now <= maxLifetimeMs) return [];
  return [{ field: 'expires_at', code: 'maximum', message: 'expires_at must be within ten years.' }];
}

/** Personal access tokens and sessions. Their values are not stored. */
export function tokensResource(sessions: Sessions, knownScopes: KnownScopes, mail: Mail) {
  const record = (
    { context, tx, caller, source }: WriteCall,
    type: string,
    token: { id: string; user_id: string | null; client_id: string | null; type: string },
    data = {},
  ) => {
    const { id: sessionId, user_id: userId, client_id: clientId } = token;
    const ids = { userId, clientId, sessionId, actorId: caller.userId };
    return recordEvent(context, tx, { type, ...ids, source, data: { type: token.type, ...data } });
  };

  return defineResource({
    name: 'tokens',
    table: 'sessions',
    managed: false,
    // A token created here would not be limited to the audience of the caller's token.
    mcp: false,
    fields,
    relations: { user: belongsTo('users', { by: 'user_id' }), client: belongsTo('clients', { by: 'client_id' }) },
    access: {
      read: anyOf(role('admin'), ownRows, ownClientRows),
      write: ownRows,
      delete: anyOf(role('admin'), ownRows, ownClientRows),
    },
    where: (now) => all(isNull('revoked_at'), compare('expires_at', '>', new Date(now).toISOString())),
    operations: ['list', 'find', 'create', 'delete'],
    reveals: revealed,
    // Ids ascend with time, and they already have an index.
    defaultOrder: '-id',
    async create(call, values) {
      const { caller, tx, source, now } = call;
      forbidApplications(caller);
      const { name = '', scopes = [] } = values;
      const expiresAt = values.expires_at ? Date.parse(values.expires_at) : undefined;
      const errors: FieldError[] = [
        ...scopeErrors(knownScopes, caller, scopes),
        ...(expiresAt === undefined ? [] : expiryErrors(expiresAt, now)),
      ];
      if (errors.length > 0) throw unprocessable(errors);
      requireProof(caller, now);
      const userId = userIdOf(caller);
      const newToken = { userId, name, scopes, expiresAt, revealed: true, source };
      const session = await issuePersonalToken(tx, sessions, newToken);
      call.reveal({ access_token: await renewPersonalToken(tx, session.id) });
      const expiresAtText = new Date(session.expires_at).toISOString();
      await record(call, 'token.created', session, {
        changes: { name: { to: name }, scopes: { to: scopes }, expires_at: { to: expiresAtText } },
      });
      const data = { what: 'a new personal access token', named: name, address: source.address };
      await notifyOwner({ context: call.context, mail }, tx, { userId, template: 'new-access', data, source });
      return session.id;
    },
    async remove(call, token) {
      await endSessions(sessions, call.tx, call.invalidate, { sessionId: token.id }, 'deleted');
      await record(call, 'token.revoked', token);
    },
    actions: [
      action<ReturnType<typeof Type.Null>, typeof fields>({
        name: 'values',
        summary: 'Show the value of a personal access token, once and to its owner',
        response: revealResponse,
        run: ({ row, transaction }) =>
          transaction(async (call) => {
            const { caller } = call;
            forbidApplications(caller);
            if (!holdsScopes(caller.scopes, row.scopes)) {
              throw forbidden('This token has more rights than the token that you sent.');
            }
            requireProof(caller, call.now);
            const owner = { id: row.id, userId: userIdOf(caller) };
            const revealed = await revealPersonalToken(call.context, call.tx, owner);
            if (!revealed) throw alreadyRevealed();
            await record(call, 'token.revealed', row);
            const { revealed_at: _at, revoked_at: _end, ...visibleFields } = row;
            return { ...visibleFields, revealed: true, access_token: revealed.accessToken };
          }),
      }),
    ],
  });
}
