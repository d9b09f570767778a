import { Type } from 'typebox';
import type { App } from '../../src/http/app.ts';
import { namedSchema } from '../../src/http/named-schema.ts';
import type { OAuth } from '../../src/oauth/oauth.ts';
import { clientRequestOf, serveEndpoint } from '../../src/oauth/oauth-routes.ts';
import { lazy } from '../../src/platform/lazy.ts';

const text = (description: string) => Type.Optional(Type.String({ description }));

const deviceParametersSchema = namedSchema(
  'OAuthDeviceRequest',
  Type.Object(
    {
      scope: text('scopes, separated by spaces; default: only openid'),
      resource: Type.Optional(
        Type.Array(Type.String(), { description: 'the audience of the access tokens (RFC 8707); may be repeated' }),
      ),
      client_id: text('unless the client authenticates by HTTP Basic'),
      client_secret: text('unless the client is public'),
    },
    { examples: [{ client_id: 'gatehouse-cli', scope: 'openid offline_access' }] },
  ),
);

const deviceCodesSchema = namedSchema(
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

/** `POST /oauth/device_authorization`. The first request loads the code that handles it. */
export function serveDeviceAuthorization(app: App, oauth: OAuth): void {
  const load = lazy(() => import('./device-authorization.ts'));
  serveEndpoint(app, {
    name: 'device_authorization',
    underV1: false,
    operationId: 'authorizeDevice',
    summary: 'Start the sign-in on a device without a browser (RFC 8628)',
    body: deviceParametersSchema,
    response: { 200: deviceCodesSchema },
    async handle(request, reply): Promise<Type.Static<typeof deviceCodesSchema>> {
      return (await load()).authorizeDevice(oauth, clientRequestOf(request, reply));
    },
  });
}
