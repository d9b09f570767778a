import type { DefaultCall } from '../../resources/declaration/fields/field.ts';
import { boolean, computed, integer, json, list, oneOf, reference, text, timestamp } from '../../resources/declare.ts';
import { everyScope } from './scopes/scopes.ts';

/** Marks a field that was left out. It is compared by identity. */
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
  tos_uri: uri('its terms of service'),
  policy_uri: uri('how it treats data about people'),
  backchannel_logout_uri: uri('is told when somebody signs out'),
  trusted: boolean({
    default: false,
    searchable: true,
    description: 'application: skip the consent page. Only administrators can set it',
  }),
  require_pkce: boolean({
    default: false,
    description: 'application: require PKCE although it has a secret. A public application always needs PKCE',
  }),
  id_token_signed_response_alg: oneOf(['RS256', 'ES256', 'EdDSA'], {
    description: 'application: the signature algorithm of ID tokens; null: RS256',
  }),
  id_token_claims: boolean({
    default: true,
    description:
      'application: whether ID tokens contain the claims of the granted scopes; if false, only userinfo returns them',
  }),
  default_max_age: integer({
    min: 0,
    max: 9_999_999_999,
    description: 'application: seconds after which people must sign in again, if the request has no max_age',
  }),
  token_endpoint_auth_method: oneOf(['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'], {
    description: 'application: how it authenticates. private_key_jwt: with its keys instead of a secret (RFC 7523)',
  }),
  jwks: json({ max: 20_000, description: 'application: its public keys (RFC 7517)' }),
  jwks_uri: uri('the address of its public keys, instead of jwks'),
  require_pushed_authorization_requests: boolean({
    default: false,
    description: 'application: it must push its authorization requests (RFC 9126)',
  }),
  require_signed_request_object: boolean({
    default: false,
    description: 'application: it must sign its authorization requests (RFC 9101)',
  }),
  dpop_bound_access_tokens: boolean({
    default: false,
    description: 'application: its access tokens are bound to a key (RFC 9449)',
  }),
  fapi: boolean({
    default: false,
    description: 'application: require FAPI 2.0: pushed requests, PKCE, private_key_jwt and DPoP',
  }),
  registration: oneOf(['dynamic', 'document'], {
    label: 'Registered itself',
    readOnly: true,
    searchable: true,
    description:
      'application: how it came here by itself, so that nobody here has checked what it says. dynamic: it registered (RFC 7591); document: its client_id is the address of its description; null: somebody here made it',
  }),
  realm: text({
    max: 64,
    readOnly: true,
    searchable: true,
    description: 'Only users of this realm sign in through the client; null: everybody. The Passport import sets it',
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
