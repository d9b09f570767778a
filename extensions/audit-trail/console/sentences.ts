import { messageTemplate } from '../../../console/src/text/translate.ts';

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

/**
 * The sentences of each kind of event. `{user}` is the affected person, `{actor}` another person who acted, `{client}` the application. The
 * sentence with `{actor}` is used if another person acted, and the one without a person if no user is known.
 */
const sentences = new Map(
  Object.entries({
    'login.succeeded': ['{user} signed in'],
    'login.failed': ['A sign-in of {user} failed', 'A sign-in failed: there is no such user'],
    'login.throttled': ['Sign-ins of {user} are refused for a while', 'Sign-ins are refused for a while'],
    logout: ['{user} signed out'],
    'user.registered': ['{user} registered'],
    'user.created': ['{user} was created', '{actor} created {user}'],
    'user.invited': ['{user} was invited', '{actor} invited {user}'],
    'user.updated': ['{user} changed their profile', '{actor} changed the profile of {user}'],
    'user.roles_changed': ['The roles of {user} changed', '{actor} changed the roles of {user}'],
    'user.disabled': ['{user} was disabled', '{actor} disabled {user}'],
    'user.enabled': ['{user} was enabled', '{actor} enabled {user}'],
    'user.unlocked': ['{user} was unlocked', '{actor} unlocked {user}'],
    'user.signed_out': ['{user} signed out everywhere', '{actor} signed {user} out everywhere'],
    'user.exported': ['{user} downloaded their data'],
    'user.deleted': ['{user} deleted their account', '{actor} deleted {user}'],
    'users.imported': ['Users were imported'],
    'password.changed': ['{user} changed their password', '{actor} set a password for {user}'],
    'password.reset': ['{user} chose a password with an emailed link'],
    'password.reset_sent': [
      '{user} was sent a link to choose a password',
      '{actor} sent {user} a link to choose a password',
    ],
    'email.confirmed': ['{user} confirmed their email address', '{actor} confirmed the email address of {user}'],
    'email.changed': ['{user} has a new email address'],
    'email.change_requested': ['{user} asked for a new email address'],
    'email.change_withdrawn': [
      '{user} cancelled the change of their email address',
      '{actor} cancelled the new email address of {user}',
    ],
    'email.change_undone': ['{user} undid a change of the email address'],
    'client.created': [
      '{user} created the client {client}',
      '{actor} created the client {client}',
      'The client {client} was created',
    ],
    'client.updated': ['The client {client} was changed', '{actor} changed the client {client}'],
    'client.deleted': ['The client {client} was deleted', '{actor} deleted the client {client}'],
    'client.secret_added': ['The client {client} got a new secret', '{actor} created a new secret for {client}'],
    'client.authentication_failed': ['The client {client} failed to authenticate'],
    'client.logout_disabled': ['The logout address of {client} kept failing and was disabled'],
    'identity.linked': ['{user} added a provider to sign in with'],
    'identity.unlinked': [
      '{user} removed a provider to sign in with',
      '{actor} removed a provider that {user} signed in with',
    ],
    'identity.logged_out': ['{user} was signed out by a provider', 'A provider signed somebody out'],
    'provider.added': ['A provider to sign in with was added'],
    'provider.changed': ['A provider to sign in with was changed'],
    'provider.removed': ['A provider to sign in with was removed'],
    'provider.failed': ['A sign-in with a provider failed'],
    'provider.tested': ['{user} tested the sign-in with a provider'],
    'passkey.added': ['{user} added a passkey'],
    'passkey.removed': ['{user} removed a passkey', '{actor} removed a passkey of {user}'],
    'authenticator.added': ['{user} set up an authenticator app'],
    'authenticator.removed': ['{user} removed an authenticator app', '{actor} removed an authenticator app of {user}'],
    'recovery_codes.made': ['{user} got new recovery codes'],
    'recovery_code.used': ['{user} used a recovery code'],
    'factors.removed': ['The second factors of {user} were removed', '{actor} removed the second factors of {user}'],
    'browser.forgotten': ['{user} no longer trusts a browser'],
    'session.proved': ['{user} confirmed their identity again'],
    'token.created': ['{user} created a personal access token', '{actor} created a token for {user}'],
    'token.revealed': ['{user} viewed a personal access token'],
    'token.revoked': ['{user} ended a session or token', '{actor} ended a session or token of {user}'],
    'refresh_token.reused': ['A refresh token of {user} was used twice: the session was ended'],
    'refresh_token.retried': ['{user} repeated a token request'],
    'authorization_code.reused': ['An authorization code of {user} was used twice: its tokens were revoked'],
    'consent.given': ['{user} authorized {client}'],
    'consent.withdrawn': [
      '{user} withdrew the consent to {client}',
      '{actor} withdrew the consent of {user} to {client}',
    ],
    'device.approved': ['{user} connected a device'],
    'device.denied': ['{user} refused a device'],
    'device.codes_guessed': ['Somebody is guessing device codes'],
    'mcp.called': ['{client} called a tool for {user}'],
    'keys.rotated': ['The keys were rotated'],
    'settings.changed': ['The settings were changed'],
    'service.imported': ['Data was imported from another service'],
    'job.failed': ['A job in the queue failed for good'],
    'job.retried': ['{user} retried a job in the queue', 'A job in the queue was retried'],
    'job.deleted': ['{user} deleted a job from the queue', 'A job was deleted from the queue'],
    'job.run': ['{user} ran a scheduled job', 'A scheduled job was run'],
    'webhook.disabled': ['A webhook was disabled'],
    'sessions.ended': ['All sessions were ended'],
    'token.reported': ['A leaked token of {user} was revoked', 'A leaked token was revoked'],
    'client.registration_token_created': ['A token to register clients was created'],
  }),
);

/** Every kind of event, as a choice: "… invited …". */
export function kindsOfEvents(resources: Iterable<{ name: string; events?: boolean }>): { id: string; name: string }[] {
  const plain = (sentence: string) => messageTemplate(sentence).replace(/\{\w+\}/g, '…');
  const builtin = [...sentences].map(([id, choices]) => ({ id, name: plain(ofActor(choices) ?? choices[0] ?? id) }));
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

/** An event of a declared resource is `cars.updated`, with the id of the car. */
export function partsOf(event: TrailEvent): Part[] {
  const { type, user_id, client_id, actor_id, data } = event;
  const [resource = '', operation = ''] = type.split('.');
  const write = typeof data?.id === 'string' && !sentences.has(type) ? writes.get(operation) : undefined;
  const parts: Record<string, Part> = {
    user: { name: 'user', id: user_id },
    actor: { name: 'actor', id: actor_id },
    client: { name: 'client', id: client_id },
    row: { name: 'row', id: String(data?.id), resource, ...(operation === 'deleted' && { was: valuesBefore(event) }) },
  };
  return (write ? messageTemplate(write) : sentenceOf(event))
    .split(/\{(user|actor|client|row)\}/)
    .map((text, i) => (i % 2 === 0 ? text : (parts[text] ?? '')))
    .filter((part) => part !== '');
}

const writes = new Map([
  ['created', '{user} created {row}'],
  ['updated', '{user} changed {row}'],
  ['deleted', '{user} deleted {row}'],
  ['restored', '{user} restored {row}'],
]);

const valuesBefore = ({ data }: TrailEvent): Record<string, unknown> =>
  Object.fromEntries(Object.entries(data?.changes ?? {}).map(([name, { from }]) => [name, from]));

const ofActor = (choices: readonly string[]) => choices.find((sentence) => sentence.includes('{actor}'));
const ofNobody = (choices: readonly string[]) => choices.find((sentence) => !/\{(user|actor)\}/.test(sentence));

function sentenceOf({ type, actor_id, user_id }: TrailEvent): string {
  const choices = sentences.get(type);
  const byAnother = actor_id !== null && actor_id !== user_id;
  const special = byAnother ? ofActor : user_id === null ? ofNobody : () => undefined;
  if (choices) return messageTemplate(special(choices) ?? choices[0] ?? type);
  const [subject = type, verb = ''] = type.split('.');
  const typeText = `${subject} ${verb}`.replace(/_/g, ' ').trim();
  const prefix = byAnother ? '{actor}: ' : user_id === null ? '' : '{user}: ';
  return `${prefix}${typeText}`;
}

/** Events that an administrator should look at. */
export const isAlarming = ({ type }: TrailEvent): boolean =>
  /\.(failed|throttled|reused|authentication_failed|codes_guessed|change_undone)$/.test(type);
