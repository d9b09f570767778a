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
      scope: Type.Optional(Type.String({ description: 'words with spaces between; empty: openid alone' })),
      resource: Type.Optional(
        Type.Array(Type.String(), { description: 'what access tokens are for (RFC 8707); may be sent more than once' }),
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
      device_code: Type.String({ description: 'for the token endpoint' }),
      user_code: Type.String({ description: 'for the person to type' }),
      verification_uri: Type.String(),
      verification_uri_complete: Type.String({ description: 'with the code in it, for a QR code' }),
      expires_in: Type.Integer({ description: 'seconds for which the codes are good' }),
      interval: Type.Integer({ description: 'seconds to wait between two questions' }),
    },
    { description: 'Codes for the device and for the person' },
  ),
);

const schema = {
  tags,
  consumes,
  operationId: 'authorizeDevice',
  summary: 'Ask for tokens from a device without a browser (RFC 8628)',
  body: parametersSchema,
  response: { 200: responseSchema, ...errors },
};

export function serveDeviceAuthorization(app: App, oauth: OAuth): void {
  app.post('/oauth/device_authorization', { ...oauthRoute, schema }, (request, reply) =>
    answerDeviceAuthorization(oauth, requestOf(request, reply)),
  );
}
