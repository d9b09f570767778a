import { messageTemplate } from '../text/translate.ts';

type FieldChange = { from?: unknown; to?: unknown; cut?: true; hidden?: true };

/** One event of the trail, as the API shows it. */
export interface TrailEvent {
  id: string;
  type: string;
  user_id: string | null;
  client_id: string | null;
  actor_id: string | null;
  address: string | null;
  user_agent: string | null;
  data: (Record<string, unknown> & { changes?: Record<string, FieldChange> }) | null;
  created_at: string;
}

/** `{user}` is the affected person, `{actor}` the acting person, `{client}` the application. */
interface Sentence {
  /** Used if the person acted. */
  own: string;
  /** Used if another person acted. */
  other?: string;
  /** Used if no user is known. */
  nobody?: string;
}

const sentences = new Map<string, Sentence>([
  ['login.succeeded', { own: '{user} signed in' }],
  ['login.failed', { own: 'A sign-in of {user} failed', nobody: 'A sign-in failed: there is no such user' }],
  [
    'login.throttled',
    { own: 'Sign-ins of {user} are refused for a while', nobody: 'Sign-ins are refused for a while' },
  ],
  ['logout', { own: '{user} signed out' }],
  ['user.registered', { own: '{user} registered' }],
  ['user.created', { own: '{user} was created', other: '{actor} created {user}' }],
  ['user.invited', { own: '{user} was invited', other: '{actor} invited {user}' }],
  ['user.updated', { own: '{user} changed their profile', other: '{actor} changed the profile of {user}' }],
  ['user.roles_changed', { own: 'The roles of {user} changed', other: '{actor} changed the roles of {user}' }],
  ['user.disabled', { own: '{user} was disabled', other: '{actor} disabled {user}' }],
  ['user.enabled', { own: '{user} was enabled', other: '{actor} enabled {user}' }],
  ['user.unlocked', { own: '{user} was unlocked', other: '{actor} unlocked {user}' }],
  ['user.signed_out', { own: '{user} signed out everywhere', other: '{actor} signed {user} out everywhere' }],
  ['user.exported', { own: '{user} downloaded their data' }],
  ['user.deleted', { own: '{user} deleted their account', other: '{actor} deleted {user}' }],
  ['users.imported', { own: 'Users were imported' }],
  ['password.changed', { own: '{user} changed their password', other: '{actor} set a password for {user}' }],
  ['password.reset', { own: '{user} chose a password with an emailed link' }],
  [
    'password.reset_sent',
    { own: '{user} was sent a link to choose a password', other: '{actor} sent {user} a link to choose a password' },
  ],
  [
    'email.confirmed',
    { own: '{user} confirmed their email address', other: '{actor} confirmed the email address of {user}' },
  ],
  ['email.changed', { own: '{user} has a new email address' }],
  ['email.change_requested', { own: '{user} asked for a new email address' }],
  [
    'email.change_withdrawn',
    {
      own: '{user} cancelled the change of their email address',
      other: '{actor} cancelled the new email address of {user}',
    },
  ],
  ['email.change_undone', { own: '{user} undid a change of the email address' }],
  [
    'client.created',
    {
      own: '{user} created the client {client}',
      other: '{actor} created the client {client}',
      nobody: 'The client {client} was created',
    },
  ],
  ['client.updated', { own: 'The client {client} was changed', other: '{actor} changed the client {client}' }],
  ['client.deleted', { own: 'The client {client} was deleted', other: '{actor} deleted the client {client}' }],
  [
    'client.secret_added',
    { own: 'The client {client} got a new secret', other: '{actor} created a new secret for {client}' },
  ],
  ['client.authentication_failed', { own: 'The client {client} failed to authenticate' }],
  ['client.logout_disabled', { own: 'The logout address of {client} kept failing and was disabled' }],
  ['identity.linked', { own: '{user} added a provider to sign in with' }],
  [
    'identity.unlinked',
    {
      own: '{user} removed a provider to sign in with',
      other: '{actor} removed a provider that {user} signed in with',
    },
  ],
  ['identity.logged_out', { own: '{user} was signed out by a provider', nobody: 'A provider signed somebody out' }],
  ['provider.added', { own: 'A provider to sign in with was added' }],
  ['provider.changed', { own: 'A provider to sign in with was changed' }],
  ['provider.removed', { own: 'A provider to sign in with was removed' }],
  ['provider.failed', { own: 'A sign-in with a provider failed' }],
  ['provider.tested', { own: '{user} tested the sign-in with a provider' }],
  ['passkey.added', { own: '{user} added a passkey' }],
  ['passkey.removed', { own: '{user} removed a passkey', other: '{actor} removed a passkey of {user}' }],
  ['authenticator.added', { own: '{user} set up an authenticator app' }],
  [
    'authenticator.removed',
    { own: '{user} removed an authenticator app', other: '{actor} removed an authenticator app of {user}' },
  ],
  ['recovery_codes.made', { own: '{user} got new recovery codes' }],
  ['recovery_code.used', { own: '{user} used a recovery code' }],
  [
    'factors.removed',
    { own: 'The second factors of {user} were removed', other: '{actor} removed the second factors of {user}' },
  ],
  ['browser.forgotten', { own: '{user} no longer trusts a browser' }],
  ['session.proved', { own: '{user} confirmed their identity again' }],
  ['token.created', { own: '{user} created a personal access token', other: '{actor} created a token for {user}' }],
  ['token.revealed', { own: '{user} viewed a personal access token' }],
  ['token.revoked', { own: '{user} ended a session or token', other: '{actor} ended a session or token of {user}' }],
  ['refresh_token.reused', { own: 'A refresh token of {user} was used twice: the session was ended' }],
  ['refresh_token.retried', { own: '{user} repeated a token request' }],
  ['authorization_code.reused', { own: 'An authorization code of {user} was used twice: its tokens were revoked' }],
  ['consent.given', { own: '{user} authorised {client}' }],
  [
    'consent.withdrawn',
    { own: '{user} withdrew the consent to {client}', other: '{actor} withdrew the consent of {user} to {client}' },
  ],
  ['device.approved', { own: '{user} connected a device' }],
  ['device.denied', { own: '{user} refused a device' }],
  ['device.codes_guessed', { own: 'Somebody is guessing device codes' }],
  ['mcp.called', { own: '{client} called a tool for {user}' }],
  ['keys.rotated', { own: 'The keys were rotated' }],
  ['settings.changed', { own: 'The settings were changed' }],
  ['service.imported', { own: 'Data was imported from another service' }],
  ['job.failed', { own: 'A job in the queue failed for good' }],
  ['job.retried', { own: '{user} retried a job in the queue', nobody: 'A job in the queue was retried' }],
  ['job.deleted', { own: '{user} deleted a job from the queue', nobody: 'A job was deleted from the queue' }],
  ['job.run', { own: '{user} ran a scheduled job', nobody: 'A scheduled job was run' }],
  ['webhook.disabled', { own: 'A webhook was disabled' }],
  ['sessions.ended', { own: 'All sessions were ended' }],
  ['token.reported', { own: 'A leaked token of {user} was revoked', nobody: 'A leaked token was revoked' }],
  ['client.registration_token_created', { own: 'A token to register clients was created' }],
]);

/** Every kind of event, as a choice: "… invited …". */
export function kindsOfEvents(resources: Iterable<{ name: string; events?: boolean }>): { id: string; name: string }[] {
  const plain = (sentence: string) => messageTemplate(sentence).replace(/\{\w+\}/g, '…');
  const builtin = [...sentences].map(([id, { own, other }]) => ({ id, name: plain(other ?? own) }));
  const declared = [...resources]
    .filter(({ events }) => events)
    .flatMap(({ name }) =>
      [...writes.keys()].map((operation) => ({ id: `${name}.${operation}`, name: `${name}.${operation}` })),
    );
  return [...builtin, ...declared];
}

/** A part of a sentence: words, or the name of a person, client or row. */
export type Part =
  | string
  | { name: 'user' | 'actor' | 'client'; id: string | null }
  /** `was`: the values of a row that the event deleted. */
  | { name: 'row'; id: string; resource: string; was?: Record<string, unknown> };

export function partsOf(event: TrailEvent): Part[] {
  return partsOfWrite(event) ?? partsOfSentence(event);
}

const writes = new Map([
  ['created', '{user} created {row}'],
  ['updated', '{user} changed {row}'],
  ['deleted', '{user} deleted {row}'],
  ['restored', '{user} restored {row}'],
]);

/** Events of a declared resource: `cars.updated`, with the id of the car. */
function partsOfWrite({ type, user_id, data }: TrailEvent): Part[] | undefined {
  const [resource = '', operation = ''] = type.split('.');
  const sentence = writes.get(operation);
  if (sentences.has(type) || sentence === undefined || typeof data?.id !== 'string') return undefined;
  const row = {
    name: 'row',
    id: data.id,
    resource,
    ...(operation === 'deleted' && { was: valuesBefore(data) }),
  } as const;
  return piecesOf(messageTemplate(sentence), (name) => (name === 'row' ? row : { name: 'user', id: user_id }));
}

function valuesBefore({ changes = {} }: NonNullable<TrailEvent['data']>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(changes).map(([name, { from }]) => [name, from]));
}

function partsOfSentence(event: TrailEvent): Part[] {
  const { user_id, client_id, actor_id } = event;
  const ids = { user: user_id, client: client_id, actor: actor_id };
  return piecesOf(sentenceOf(event), (name) => ({ name: name as 'user', id: ids[name as 'user'] }));
}

const piecesOf = (sentence: string, partOf: (name: string) => Part): Part[] =>
  sentence
    .split(/\{(user|actor|client|row)\}/)
    .map((text, i) => (i % 2 === 0 ? text : partOf(text)))
    .filter((part) => part !== '');

function sentenceOf({ type, actor_id, user_id }: TrailEvent): string {
  const builtinSentence = sentences.get(type);
  const byAnother = actor_id !== null && actor_id !== user_id;
  if (builtinSentence)
    return messageTemplate(
      (byAnother ? builtinSentence.other : user_id === null ? builtinSentence.nobody : undefined) ??
        builtinSentence.own,
    );
  const [subject = type, verb = ''] = type.split('.');
  const typeText = `${subject} ${verb}`.replace(/_/g, ' ').trim();
  const prefix = byAnother ? '{actor}: ' : user_id === null ? '' : '{user}: ';
  return `${prefix}${typeText}`;
}

/** Events that an administrator should look at. */
export const isAlarming = ({ type }: TrailEvent): boolean =>
  /\.(failed|throttled|reused|authentication_failed|codes_guessed|change_undone)$/.test(type);
