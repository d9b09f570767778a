import { Type } from 'typebox';
import { named } from '../http/openapi/openapi-components.ts';

const exampleClient = { client_id: '0199d0a0-7c00-7000-8000-000000000001', client_secret: 'its secret' };

export const tokenParametersSchema = named(
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
      device_code: Type.Optional(Type.String({ description: 'urn:ietf:params:oauth:grant-type:device_code' })),
      subject_token: Type.Optional(Type.String({ description: 'urn:ietf:params:oauth:grant-type:token-exchange' })),
      subject_token_type: Type.Optional(Type.String({ description: 'that of an access token (RFC 8693 3)' })),
      client_assertion: Type.Optional(Type.String({ description: 'private_key_jwt (RFC 7523)' })),
      client_assertion_type: Type.Optional(Type.String()),
      code: Type.Optional(Type.String({ description: 'authorization_code' })),
      redirect_uri: Type.Optional(
        Type.String({ description: 'authorization_code: that of the authorization request' }),
      ),
      code_verifier: Type.Optional(Type.String({ description: 'authorization_code (RFC 7636)' })),
      username: Type.Optional(Type.String({ description: 'password: any enabled identifier of the user' })),
      password: Type.Optional(Type.String({ description: 'password' })),
      refresh_token: Type.Optional(Type.String({ description: 'refresh_token' })),
      client_id: Type.Optional(Type.String({ description: 'unless the client authenticates by HTTP Basic' })),
      client_secret: Type.Optional(Type.String({ description: 'unless the client authenticates by HTTP Basic' })),
      // One alone may be sent as text too; generators write a form with a list, and not with either.
      resource: Type.Optional(
        Type.Array(Type.String(), {
          description: 'what the access token is for (RFC 8707); may be sent more than once; else this service',
        }),
      ),
      authorization_details: Type.Optional(
        Type.String({ description: 'some of what was granted, as JSON (RFC 9396 6)' }),
      ),
      scope: Type.Optional(Type.String({ description: "words with spaces between; empty: the client's default" })),
    },
    { examples: [{ grant_type: 'client_credentials', ...exampleClient }] },
  ),
);

export const tokenResponseSchema = named(
  'OAuthTokens',
  Type.Object(
    {
      token_type: Type.Union([Type.Literal('Bearer'), Type.Literal('DPoP')]),
      issued_token_type: Type.Optional(Type.String({ description: 'of a token exchange' })),
      expires_in: Type.Integer({ description: "the access token's life in seconds" }),
      access_token: Type.String(),
      refresh_token: Type.Optional(Type.String({ description: 'to an application with offline_access alone' })),
      id_token: Type.Optional(Type.String({ description: 'to an application, where openid was granted' })),
      scope: Type.Optional(Type.String({ description: 'where it is not what was asked for' })),
      authorization_details: Type.Optional(
        Type.Array(Type.Object({ type: Type.String() }, { additionalProperties: true }), {
          description: 'what was granted beyond scopes (RFC 9396 7)',
        }),
      ),
    },
    { description: 'Tokens' },
  ),
);

export const pushedRequestSchema = named(
  'PushedRequest',
  Type.Object({ request_uri: Type.String(), expires_in: Type.Integer() }, { description: 'RFC 9126 2.2' }),
);

export const tokenToJudgeSchema = Type.Object(
  {
    token: Type.String({ description: 'an access token or a refresh token' }),
    token_type_hint: Type.Optional(Type.String({ description: 'not needed' })),
    client_id: Type.Optional(Type.String()),
    client_secret: Type.Optional(Type.String()),
  },
  { examples: [{ token: 'a token', ...exampleClient }] },
);

export const introspectionSchema = named(
  'OAuthIntrospection',
  Type.Object({ active: Type.Boolean() }, { additionalProperties: true }),
);

export const oauthErrorSchema = named(
  'OAuthError',
  Type.Object(
    { error: Type.String(), error_description: Type.Optional(Type.String()) },
    { description: 'RFC 6749 5.2' },
  ),
);
