import { Type } from 'typebox';
import { named } from '../http/openapi/openapi-components.ts';

/** Documents are written whole: the schema is for readers of the API description. */
const described = (properties: Record<string, Type.TSchema>, options: Type.TObjectOptions) =>
  Type.Unsafe<unknown>(Type.Object(properties, options));

const strings = Type.Array(Type.String());
const uri = Type.String({ format: 'uri' });

export const serverMetadataSchema = named(
  'AuthorizationServerMetadata',
  described(
    {
      issuer: uri,
      authorization_endpoint: uri,
      token_endpoint: uri,
      userinfo_endpoint: uri,
      end_session_endpoint: uri,
      jwks_uri: uri,
      registration_endpoint: Type.Optional(uri),
      scopes_supported: strings,
      response_types_supported: strings,
      response_modes_supported: strings,
      grant_types_supported: strings,
      code_challenge_methods_supported: strings,
      token_endpoint_auth_methods_supported: strings,
      subject_types_supported: strings,
      id_token_signing_alg_values_supported: strings,
      claims_supported: strings,
    },
    { additionalProperties: true, description: 'RFC 8414 2 and OpenID Connect Discovery 3' },
  ),
);

export const keySetSchema = named(
  'JsonWebKeySet',
  described(
    {
      keys: Type.Array(
        Type.Object(
          { kty: Type.String(), kid: Type.String(), alg: Type.String(), use: Type.String() },
          { additionalProperties: true },
        ),
      ),
    },
    { description: 'RFC 7517 5' },
  ),
);

export const resourceMetadataSchema = named(
  'ProtectedResourceMetadata',
  described(
    {
      resource: uri,
      authorization_servers: strings,
      scopes_supported: strings,
      bearer_methods_supported: strings,
      resource_name: Type.String(),
      resource_documentation: uri,
    },
    { additionalProperties: true, description: 'RFC 9728 2' },
  ),
);
