import { Type } from 'typebox';
import { namedSchema } from '../http/named-schema.ts';

const text = (description?: string) => Type.Optional(Type.String(description === undefined ? {} : { description }));

const exampleClient = { client_id: '0199d0a0-7c00-7000-8000-000000000001', client_secret: 'its secret' };

export const tokenParametersSchema = namedSchema(
  'OAuthTokenRequest',
  Type.Object(
    {
      grant_type: Type.Union([
        Type.Literal('authorization_code'),
        Type.Literal('password'),
        Type.Literal('client_credentials'),
        Type.Literal('refresh_token'),
        Type.Literal('urn:ietf:params:oauth:grant-type:device_code'),
        Type.Literal('urn:ietf:params:oauth:grant-type:token-exchange'),
      ]),
      device_code: text('urn:ietf:params:oauth:grant-type:device_code'),
      subject_token: text('urn:ietf:params:oauth:grant-type:token-exchange'),
      subject_token_type: text('the type of an access token (RFC 8693 3)'),
      client_assertion: text('private_key_jwt (RFC 7523)'),
      client_assertion_type: text(),
      code: text('authorization_code'),
      redirect_uri: text('authorization_code: the redirect URI of the authorization request'),
      code_verifier: text('authorization_code (RFC 7636)'),
      username: text('password: any enabled identifier of the user'),
      password: text('password'),
      refresh_token: text('refresh_token'),
      client_id: text('unless the client authenticates by HTTP Basic'),
      client_secret: text('unless the client authenticates by HTTP Basic'),
      // A single value may be a text too. Client generators support a list in a form, but not a union.
      resource: Type.Optional(
        Type.Array(Type.String(), {
          description: 'the audience of the access token (RFC 8707); may be repeated; default: this service',
        }),
      ),
      authorization_details: text('a part of the granted authorization_details, as JSON (RFC 9396 6)'),
      scope: text("scopes, separated by spaces; default: the client's scopes"),
    },
    { examples: [{ grant_type: 'client_credentials', ...exampleClient }] },
  ),
);

export const tokenResponseSchema = namedSchema(
  'OAuthTokens',
  Type.Object(
    {
      token_type: Type.Union([Type.Literal('Bearer'), Type.Literal('DPoP')]),
      issued_token_type: text('only for a token exchange'),
      expires_in: Type.Integer({ description: 'lifetime of the access token, in seconds' }),
      access_token: Type.String(),
      refresh_token: text('an application gets it only with offline_access'),
      id_token: text('for an application, if openid was granted'),
      scope: text('only if it differs from the requested scope'),
      authorization_details: Type.Optional(
        Type.Array(Type.Object({ type: Type.String() }, { additionalProperties: true }), {
          description: 'the granted authorization_details (RFC 9396 7)',
        }),
      ),
    },
    { description: 'Tokens' },
  ),
);

export type TokenResponse = Type.Static<typeof tokenResponseSchema>;

export const pushedRequestSchema = namedSchema(
  'PushedRequest',
  Type.Object({ request_uri: Type.String(), expires_in: Type.Integer() }, { description: 'RFC 9126 2.2' }),
);

export const tokenAndHintSchema = Type.Object(
  {
    token: Type.String({ description: 'an access token or a refresh token' }),
    token_type_hint: text('not needed'),
    client_id: text(),
    client_secret: text(),
  },
  { examples: [{ token: 'a token', ...exampleClient }] },
);

export const introspectionSchema = namedSchema(
  'OAuthIntrospection',
  Type.Object({ active: Type.Boolean() }, { additionalProperties: true }),
);

/** RFC 6749 5.2. */
export const oauthErrorSchema = namedSchema('OAuthError', {
  type: 'object',
  description: 'An error in the format of RFC 6749 5.2.',
  required: ['error', 'error_description'],
  properties: { error: { type: 'string' }, error_description: { type: 'string' } },
});
