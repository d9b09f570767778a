import { Type } from 'typebox';
import type { App } from '../../http/app.ts';
import { named } from '../../http/openapi/openapi-components.ts';
import type { OAuth } from '../oauth.ts';
import { consumes, errors, oauthRoute, requestOf, tags } from '../oauth-routes.ts';
import { answerDeviceAuthorization } from './device-authorization.ts';

const parametersSchema = named(
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

const responseSchema = named(
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

const schema = {
  tags,
  consumes,
  operationId: 'authorizeDevice',
  summary: 'Start the sign-in on a device without a browser (RFC 8628)',
  body: parametersSchema,
  response: { 200: responseSchema, ...errors },
};

export function serveDeviceAuthorization(app: App, oauth: OAuth): void {
  app.post('/oauth/device_authorization', { ...oauthRoute, schema }, (request, reply) =>
    answerDeviceAuthorization(oauth, requestOf(request, reply)),
  );
}
