import type { DefaultCall } from '../../resources/declaration/fields/field.ts';
import { boolean, computed, integer, json, list, oneOf, reference, text, timestamp } from '../../resources/declare.ts';
import { everyScope } from './scopes/scopes.ts';

/** Marks an omitted field. Compared by identity. */
export const omittedScopes: readonly string[] = [everyScope];
export const omittedUris: readonly string[] = [];

const uri = (description: string, label?: string) =>
  text({ max: 2000, description, ...(label === undefined ? {} : { label }) });
const flag = (description: string) => boolean({ default: false, description });
const uris = (description: string) => list({ default: omittedUris, max: 20, maxItem: 2000, description });

export const clientFields = {
  client_id: computed({ as: 'text', from: ['id'], description: 'The same as id' }, ({ id }) => id as string),
  type: oneOf(['password', 'personal', 'application'], {
    default: 'personal',
    immutable: true,
    searchable: true,
    sortable: true,
    description:
      'The two types of the specification are password (first-party, created by administrators) and personal (third-party, acts for itself). application is an extension: people sign in to it.',
  }),
  name: text({ required: true, max: 100, searchable: true, sortable: true }),
  scopes: list({
    default: omittedScopes,
    searchable: true,
    description:
      'The scopes that the client may request, and the scopes that it gets if it requests none. Default for an application: the scopes of OpenID Connect',
  }),
  public: boolean({
    default: false,
    immutable: true,
    searchable: true,
    description: 'The application has no secret, because it runs in a browser, on a phone or on a desktop.',
  }),
  redirect_uris: uris('Where people return to after they sign in. Requests must name one of these URIs exactly.'),
  post_logout_redirect_uris: uris('Where people can return to after they sign out.'),
  homepage_uri: uri('The website of the application.'),
  logo_uri: uri('The logo of the application.'),
  tos_uri: uri('The terms of service of the application.', 'Terms of service'),
  policy_uri: uri('The privacy policy of the application.', 'Privacy policy'),
  backchannel_logout_uri: uri('Called when somebody signs out.'),
  trusted: boolean({
    default: false,
    searchable: true,
    description: 'People are not asked for their consent. Only administrators can set this.',
  }),
  require_pkce: flag('The application must use PKCE although it has a secret. A public application always must.'),
  id_token_signed_response_alg: oneOf(['RS256', 'ES256', 'EdDSA'], {
    label: 'ID token algorithm',
    description: 'How ID tokens are signed. Default: RS256.',
  }),
  id_token_claims: boolean({
    default: true,
    description: 'ID tokens contain the claims of the granted scopes. Otherwise only userinfo returns them.',
  }),
  default_max_age: integer({
    min: 0,
    max: 9_999_999_999,
    label: 'Default max age (seconds)',
    description: 'After this time, people must sign in again. A request can send its own max_age.',
  }),
  token_endpoint_auth_method: oneOf(['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'], {
    label: 'Client authentication',
    description: 'How the application authenticates. private_key_jwt uses its keys instead of a secret (RFC 7523).',
  }),
  jwks: json({
    max: 20_000,
    label: 'Public keys',
    description: 'The public keys of the application, as a JWKS (RFC 7517).',
  }),
  jwks_uri: uri('The address of the public keys, instead of the keys themselves.', 'Public keys URI'),
  require_pushed_authorization_requests: flag('The application must push its authorization requests (RFC 9126).'),
  require_signed_request_object: flag('The application must sign its authorization requests (RFC 9101).'),
  dpop_bound_access_tokens: boolean({
    default: false,
    label: 'DPoP-bound access tokens',
    description: 'Access tokens work only with a key of the application (RFC 9449).',
  }),
  fapi: flag('Require FAPI 2.0: pushed requests, PKCE, private_key_jwt and DPoP.'),
  registration: oneOf(['dynamic', 'document'], {
    label: 'Registered itself',
    readOnly: true,
    searchable: true,
    description:
      'How the application registered itself. dynamic: by a request (RFC 7591). document: its client_id is the address of its description. null: somebody created it here. Nobody has checked the details of an application that registered itself.',
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
