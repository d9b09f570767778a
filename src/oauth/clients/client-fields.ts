import type { DefaultCall } from '../../resources/declaration/fields/field.ts';
import { boolean, computed, list, oneOf, reference, text, timestamp } from '../../resources/declare.ts';
import { everyScope } from './scopes.ts';

/** What stands for a field that was left out: known by being this very list. */
export const scopesLeftOut: readonly string[] = [everyScope];
export const urisLeftOut: readonly string[] = [];

const uri = (description: string) => text({ max: 2000, description: `application: ${description}` });
const uris = (description: string) =>
  list({ default: urisLeftOut, max: 20, maxItem: 2000, description: `application: ${description}` });

export const clientFields = {
  client_id: computed({ as: 'text', from: ['id'], description: 'The same as id' }, ({ id }) => id as string),
  type: oneOf(['password', 'personal', 'application'], {
    default: 'personal',
    immutable: true,
    searchable: true,
    sortable: true,
    description:
      'The two types of the specification are password (first-party, made by administrators) and personal (third-party, acting for itself). application is an extension: what people sign in to.',
  }),
  name: text({ required: true, max: 100, searchable: true, sortable: true }),
  scopes: list({
    default: scopesLeftOut,
    searchable: true,
    description:
      'What the client may ask for, and what it gets when it asks for nothing. An application that names none may ask for the scopes of OpenID Connect',
  }),
  public: boolean({
    default: false,
    immutable: true,
    searchable: true,
    description:
      'application: has no secret, because it runs where none is kept: in a browser, on a phone, on a desktop',
  }),
  redirect_uris: uris('where people come back to; must be named, and is compared to the letter'),
  post_logout_redirect_uris: uris('where people may be sent after they signed out'),
  homepage_uri: uri('its own page'),
  logo_uri: uri('a picture of it'),
  backchannel_logout_uri: uri('is told when somebody signs out'),
  trusted: boolean({
    default: false,
    searchable: true,
    description: 'application: people are not asked for their consent. Set by administrators',
  }),
  registration: oneOf(['dynamic', 'document'], {
    label: 'Registered itself',
    readOnly: true,
    searchable: true,
    description:
      'application: how it came here by itself, so that nobody here has checked what it says. dynamic: it registered (RFC 7591); document: its client_id is the address of its description; null: somebody here made it',
  }),
  user_id: reference('users', {
    default: ({ caller }: DefaultCall) => caller.userId,
    immutable: true,
    searchable: true,
    onDelete: 'cascade',
    description: 'The owner of a personal client or an application',
  }),
  created_at: timestamp({ required: true, readOnly: true, searchable: true, sortable: true }),
  updated_at: timestamp({ required: true, readOnly: true, searchable: true, sortable: true }),
};
