import type { FieldDescription, ResourceDescription } from '../data/descriptions.ts';
import { locale, say } from './say.ts';
import { type RemovalWord, within } from './words.ts';

/** What the console knows of a built-in resource beyond its description. */
interface Presentation {
  label: string;
  columns: string[];
  /** Reached from the rows that it belongs to, and not from the menu. */
  unlisted?: true;
  /** How removing a row is called. */
  remove?: RemovalWord;
  removeWarning?: string;
  empty?: string;
  /** What to say below a field's control, where the API's own words are for programs. */
  help?: Record<string, string | { ofNew: string; ofKept: string }>;
  /** Fields that only rows with this value have. */
  only?: { field: string; value: string; fields: readonly string[] };
}

/** The built-in resources, in the order of the menu. */
const builtin: Record<string, Presentation> = {
  users: {
    label: 'Users',
    columns: ['person', 'email', 'roles', 'status', 'last_sign_in', 'created_at'],
    help: {
      password: {
        ofNew: 'At least 8 characters. The person can change it later.',
        ofKept: 'At least 8 characters. Left empty, it stays as it is.',
      },
      current_password: 'Only to change your own password, email, username or phone.',
      username: '3 to 32 letters, digits, dots, dashes and underscores, starting with a letter.',
      phone: 'With its country code, such as +44.',
      locale: 'The language of pages and mail, such as en. Empty means the language of the browser.',
      disabled: 'The person can no longer sign in. All sessions end; tokens and applications stop working.',
    },
    removeWarning: 'All sessions and applications end at once. Only the audit trail remains. This cannot be undone.',
  },
  roles: {
    label: 'Roles',
    columns: ['name', 'description', 'created_at'],
    empty: 'There are no roles besides the built-in ones yet.',
  },
  clients: {
    label: 'Clients',
    columns: ['name', 'type', 'registration', 'user_id', 'scopes', 'created_at'],
    removeWarning: 'Every token that was issued to this client stops working at once.',
    only: {
      field: 'type',
      value: 'application',
      fields: [
        ...['public', 'redirect_uris', 'post_logout_redirect_uris', 'homepage_uri', 'logo_uri'],
        ...['backchannel_logout_uri', 'trusted', 'registration'],
      ],
    },
    help: {
      type: 'People sign in to an application. A personal client acts on its own, in its owner’s name. A password client is one of your own apps.',
      user_id: 'The owner of a personal client or an application.',
      scopes: {
        ofNew: 'What it may ask for. An application without scopes may ask for those of OpenID Connect.',
        ofKept: 'What it may ask for. A scope that you remove ends at once.',
      },
      public: 'It has no secret: it runs in a browser, on a phone or on a desktop.',
      redirect_uris: 'Where people return to, exactly as the application sends it.',
      post_logout_redirect_uris: 'Where people may be sent after they sign out.',
      homepage_uri: 'Shown to people who sign in.',
      logo_uri: 'The https address of a picture.',
      backchannel_logout_uri: 'Called when somebody signs out.',
      trusted: 'People are not asked for their consent.',
    },
  },
  consents: {
    label: 'Consents',
    columns: ['user_id', 'client_id', 'scopes', 'created_at'],
    remove: 'Withdraw',
    removeWarning: 'The application is signed out of this account at once, and has to ask again.',
    empty: 'No applications have been authorised yet.',
  },
  tokens: {
    label: 'Sessions & tokens',
    columns: ['user_id', 'type', 'name', 'client_id', 'address', 'last_used_at', 'created_at'],
    remove: 'Revoke',
    help: { expires_at: 'Left empty, it lasts as long as the service’s settings say.' },
    removeWarning: 'Whoever uses it is signed out with the next request.',
    empty: 'Nobody is signed in, and there is no personal access token.',
  },
  events: {
    label: 'Events',
    columns: ['type', 'created_at', 'user_id', 'client_id', 'address'],
    empty: 'Nothing has happened yet.',
  },
  webhooks: {
    label: 'Webhooks',
    columns: ['url', 'resources', 'operations', 'active', 'user_id', 'created_at'],
    empty: 'No webhooks yet.',
    removeWarning: 'Nothing more is delivered to it. Its deliveries are deleted with it.',
    help: {
      url: 'Where changes are sent, as signed POST requests.',
      resources: 'The resources whose changes are sent.',
      operations: 'Which changes are sent. Left empty: all.',
      search: 'Only rows that match, such as kind:van. Left empty: all rows.',
      active: 'Switched off, nothing is sent.',
      signature: 'hmac: a shared secret. ed25519: you verify with a public key.',
    },
  },
  'webhook-deliveries': {
    label: 'Deliveries',
    columns: ['created_at', 'webhook_id', 'resource', 'operation', 'state', 'response_status', 'attempts'],
    empty: 'Nothing has been delivered yet.',
    unlisted: true,
  },
  passkeys: { label: 'Passkeys', columns: ['name', 'user_id', 'last_used_at', 'created_at'] },
  authenticators: { label: 'Authenticator apps', columns: ['name', 'user_id', 'last_used_at', 'created_at'] },
  browsers: {
    label: 'Remembered browsers',
    columns: ['user_agent', 'user_id', 'last_used_at', 'created_at'],
    unlisted: true,
  },
  providers: {
    label: 'Identity providers',
    columns: ['label', 'issuer', 'enabled', 'last_success_at', 'last_failure_at', 'failure', 'secret_expires_at'],
  },
  identities: {
    label: 'External identities',
    columns: ['provider', 'user_id', 'email', 'last_used_at', 'created_at'],
    unlisted: true,
  },
  'queued-jobs': {
    label: 'Queue',
    columns: ['name', 'subject', 'state', 'attempts', 'next_attempt_at', 'last_error'],
    removeWarning: 'It will not be done any more.',
    empty: 'Nothing is waiting, and nothing has failed.',
  },
  'scheduled-jobs': {
    label: 'Scheduled jobs',
    columns: ['id', 'schedule', 'time_zone', 'next_run_at', 'last_run_at', 'last_state'],
    empty: 'No job has a schedule.',
  },
  'job-runs': {
    label: 'Runs of jobs',
    columns: ['job_id', 'state', 'scheduled_for', 'started_at', 'finished_at', 'error'],
    empty: 'No scheduled job has run yet.',
  },
  'mcp-calls': {
    label: 'AI applications',
    columns: ['application', 'day', 'calls', 'last_tool', 'last_call_at'],
    empty: 'No AI application has used this service yet.',
  },
};
const own = new Map(Object.entries(builtin));

export const isOwn = ({ name }: ResourceDescription): boolean => own.has(name);
export const isUnlisted = (name: string): boolean => own.get(name)?.unlisted === true;
export const ownNames: readonly string[] = [...own.keys()];

/** What the rows are called, beginning with a capital: "Cars". */
export function labelOf(of: string | Pick<ResourceDescription, 'name' | 'label'>): string {
  const { name, label } = typeof of === 'string' ? { name: of, label: undefined } : of;
  return say(own.get(name)?.label ?? humanised(label ?? name));
}

/** "1 car", "25 cars", "100,000 cars". */
export function counted(count: number, description: ResourceDescription): string {
  const word = count === 1 ? singularOf(description) : labelOf(description);
  return `${count.toLocaleString(locale)} ${within(word)}`;
}

/** What one row is called, beginning with a capital: "Car". */
export const singularOf = ({ singular }: Pick<ResourceDescription, 'singular'>): string => say(humanised(singular));

export const removalOf = (name: string): RemovalWord => own.get(name)?.remove ?? 'Delete';
export const removeWarningOf = ({ name, softDelete }: ResourceDescription): string =>
  say(own.get(name)?.removeWarning ?? (softDelete ? 'You can restore it later.' : 'This cannot be undone.'));
export const emptyTextOf = ({ name, label }: ResourceDescription): string =>
  say(own.get(name)?.empty ?? 'No {things} yet.', { things: within(labelOf({ name, label })) });

/** What to say below a field's control. A row that is there already is told otherwise from one that is being made. */
export function helpOf(
  resource: string,
  { name, hint, description }: FieldDescription,
  isNew: boolean,
): string | undefined {
  const help = own.get(resource)?.help?.[name];
  const chosen = typeof help === 'object' ? (isNew ? help.ofNew : help.ofKept) : help;
  return translated(chosen ?? hint ?? description);
}

const translated = (text: string | undefined): string | undefined => text && say(text);

/** Whether a row has this field at all: an address for redirects is an application's. */
export function hasField(resource: string, field: string, row: Record<string, unknown> | undefined): boolean {
  if (field === 'deleted_at' && row?.deleted_at === null) return false;
  const only = own.get(resource)?.only;
  return !only?.fields.includes(field) || row?.[only.field] === only.value;
}

/** `owner_id` is "Owner", `created_at` is "Created", `email_confirmed` is "Email confirmed". */
export function fieldLabel({ name, type, label, references }: Named): string {
  if (label !== undefined) return say(label);
  if (references !== undefined) return say(humanised(name.replace(/_id$/, '')));
  return say(humanised(type === 'timestamp' || type === undefined ? name.replace(/_at$/, '') : name));
}
type Named = Pick<FieldDescription, 'name' | 'references'> & Partial<Pick<FieldDescription, 'type' | 'label'>>;

export function humanised(name: string): string {
  const words = name.replace(/[_-]+/g, ' ').trim();
  return words === 'id' ? 'ID' : words.charAt(0).toUpperCase() + words.slice(1);
}

const telling = ['name', 'title', 'label', 'email', 'username', 'phone', 'type'];

/** The field by which people know a row: its name or the like, else its first required text. */
export function tellingField({ fields }: ResourceDescription): FieldDescription | undefined {
  const readable = fields.filter(({ writeOnly }) => !writeOnly);
  return (
    telling.map((name) => readable.find((field) => field.name === name)).find((field) => field !== undefined) ??
    readable.find(({ type, required, readOnly }) => type === 'text' && required && !readOnly) ??
    readable.find(({ type, name }) => type === 'text' && name !== 'id')
  );
}

const mostSearched = 10;

/** The fields that a search box looks at: every text that the service can search, what a row is known by first. */
export function searchedFields(description: ResourceDescription): FieldDescription[] {
  const rank = ({ name }: FieldDescription) => (telling.includes(name) ? telling.indexOf(name) : telling.length);
  return description.fields
    .filter((field) => field.searchable && field.type === 'text')
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, mostSearched);
}

/** What stands for a row in a link or a title. A user without a name is known by another identifier. */
export function rowName(description: ResourceDescription, row: Record<string, unknown>): string {
  const first = tellingField(description)?.name;
  const value = [first, ...telling]
    .map((name) => name && row[name])
    .find((found) => typeof found === 'string' && found);
  return (value as string | undefined) ?? shortId(String(row.id ?? ''));
}

/** What tells two rows of the same name apart: a person's address beside the name. */
export function rowDetail(description: ResourceDescription, row: Record<string, unknown>): string | undefined {
  const name = rowName(description, row);
  const others = [
    'email',
    'username',
    'phone',
    'type',
    'description',
    ...searchedFields(description).map((f) => f.name),
  ];
  const value = others
    .map((field) => row[field])
    .find((found) => typeof found === 'string' && found !== '' && found !== name);
  return value as string | undefined;
}

/** The address of a list with a filter. */
export const listPath = (resource: string, filter: object): string =>
  `/${resource}?filter=${encodeURIComponent(JSON.stringify(filter))}`;

/** The end of a UUIDv7 is its random part. */
export const shortId = (id: string): string => (id.length > 12 ? `…${id.slice(-8)}` : id);

/** Columns of people that are made of several fields, or read from elsewhere. */
const shownBesides = new Map<string, FieldDescription>([
  ['person', { name: 'name', type: 'person', sortable: true }],
  ['status', { name: 'status', type: 'status' }],
  ['last_sign_in', { name: 'last_sign_in', type: 'last_sign_in' }],
]);

const seldom = new Set(['updated_at', 'deleted_at']);

/** The columns of a list: those we know to matter, or the first that fit. */
export function columnsOf(description: ResourceDescription, limit = 7): FieldDescription[] {
  const readable = description.fields.filter(({ writeOnly, name }) => !writeOnly && name !== 'id');
  const wanted = own.get(description.name)?.columns;
  if (wanted)
    return wanted.flatMap((name) => readable.find((field) => field.name === name) ?? shownBesides.get(name) ?? []);
  const first = tellingField(description);
  const rest = readable.filter((field) => field !== first && field.type !== 'json' && !seldom.has(field.name));
  // To whom a row belongs matters more than its fifth property.
  const owners = rest.filter(({ references }) => references !== undefined).slice(0, 2);
  const others = rest.filter((field) => !owners.includes(field));
  if (!first) return [...owners, ...others].slice(0, limit);
  return [first, ...others.slice(0, limit - owners.length - 1), ...owners];
}

/** As it was declared; else newest first where time is known, or by name. */
export function orderOf(description: ResourceDescription): { field: string; order: 'ASC' | 'DESC' } {
  const declared = /^(-?)(.+)$/.exec(description.defaultOrder ?? '');
  if (declared) return { field: declared[2] as string, order: declared[1] ? 'DESC' : 'ASC' };
  const sortable = new Set(description.fields.filter(({ sortable }) => sortable).map(({ name }) => name));
  const first = tellingField(description);
  if (!isOwn(description) && first && sortable.has(first.name)) return { field: first.name, order: 'ASC' };
  if (sortable.has('created_at')) return { field: 'created_at', order: 'DESC' };
  return { field: 'id', order: 'DESC' };
}
