import { Type } from 'typebox';
import { namedSchema } from '../http/openapi/openapi-components.ts';

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
      device_code: Type.Optional(Type.String({ description: 'urn:ietf:params:oauth:grant-type:device_code' })),
      subject_token: Type.Optional(Type.String({ description: 'urn:ietf:params:oauth:grant-type:token-exchange' })),
      subject_token_type: Type.Optional(Type.String({ description: 'the type of an access token (RFC 8693 3)' })),
      client_assertion: Type.Optional(Type.String({ description: 'private_key_jwt (RFC 7523)' })),
      client_assertion_type: Type.Optional(Type.String()),
      code: Type.Optional(Type.String({ description: 'authorization_code' })),
      redirect_uri: Type.Optional(
        Type.String({ description: 'authorization_code: the redirect URI of the authorization request' }),
      ),
      code_verifier: Type.Optional(Type.String({ description: 'authorization_code (RFC 7636)' })),
      username: Type.Optional(Type.String({ description: 'password: any enabled identifier of the user' })),
      password: Type.Optional(Type.String({ description: 'password' })),
      refresh_token: Type.Optional(Type.String({ description: 'refresh_token' })),
      client_id: Type.Optional(Type.String({ description: 'unless the client authenticates by HTTP Basic' })),
      client_secret: Type.Optional(Type.String({ description: 'unless the client authenticates by HTTP Basic' })),
      // A single value may be a text too. Client generators support a list in a form, but not a union.
      resource: Type.Optional(
        Type.Array(Type.String(), {
          description: 'the audience of the access token (RFC 8707); may be repeated; default: this service',
        }),
      ),
      authorization_details: Type.Optional(
        Type.String({ description: 'a part of the granted authorization_details, as JSON (RFC 9396 6)' }),
      ),
      scope: Type.Optional(Type.String({ description: "scopes, separated by spaces; default: the client's scopes" })),
    },
    { examples: [{ grant_type: 'client_credentials', ...exampleClient }] },
  ),
);

export const tokenResponseSchema = namedSchema(
  'OAuthTokens',
  Type.Object(
    {
      token_type: Type.Union([Type.Literal('Bearer'), Type.Literal('DPoP')]),
      issued_token_type: Type.Optional(Type.String({ description: 'only for a token exchange' })),
      expires_in: Type.Integer({ description: 'lifetime of the access token, in seconds' }),
      access_token: Type.String(),
      refresh_token: Type.Optional(Type.String({ description: 'an application gets it only with offline_access' })),
      id_token: Type.Optional(Type.String({ description: 'for an application, if openid was granted' })),
      scope: Type.Optional(Type.String({ description: 'only if it differs from the requested scope' })),
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

export const deviceParametersSchema = namedSchema(
  'OAuthDeviceRequest',
  Type.Object(
    {
      scope: Type.Optional(Type.String({ description: 'scopes, separated by spaces; default: only openid' })),
      resource: Type.Optional(
        Type.Array(Type.String(), { description: 'the audience of the access tokens (RFC 8707); may be repeated' }),
      ),
      client_id: Type.Optional(Type.String({ description: 'unless the client authenticates by HTTP Basic' })),
      client_secret: Type.Optional(Type.String({ description: 'unless the client is public' })),
    },
    { examples: [{ client_id: 'gatehouse-cli', scope: 'openid offline_access' }] },
  ),
);

export const deviceCodesSchema = namedSchema(
  'OAuthDeviceCodes',
  Type.Object(
    {
      device_code: Type.String({ description: 'the device sends this code to the token endpoint' }),
      user_code: Type.String({ description: 'the user types this code' }),
      verification_uri: Type.String(),
      verification_uri_complete: Type.String({ description: 'the same address with the code, for a QR code' }),
      expires_in: Type.Integer({ description: 'lifetime of the codes, in seconds' }),
      interval: Type.Integer({ description: 'seconds to wait between two token requests' }),
    },
    { description: 'The codes for the device and for the user' },
  ),
);

export type DeviceCodes = Type.Static<typeof deviceCodesSchema>;

export const pushedRequestSchema = namedSchema(
  'PushedRequest',
  Type.Object({ request_uri: Type.String(), expires_in: Type.Integer() }, { description: 'RFC 9126 2.2' }),
);

export const tokenAndHintSchema = Type.Object(
  {
    token: Type.String({ description: 'an access token or a refresh token' }),
    token_type_hint: Type.Optional(Type.String({ description: 'not needed' })),
    client_id: Type.Optional(Type.String()),
    client_secret: Type.Optional(Type.String()),
  },
  { examples: [{ token: 'a token', ...exampleClient }] },
);

export const introspectionSchema = namedSchema(
  'OAuthIntrospection',
  Type.Object({ active: Type.Boolean() }, { additionalProperties: true }),
);
