import type { FastifyContextConfig } from 'fastify';
import type { DescribedOperation, Security } from './openapi-examples.ts';

/** The security of a route: none, any token, or a token with the scope. A caller needs only one of the entries. */
export function securityOf({ auth, bearer, scope }: FastifyContextConfig): Security[] {
  const isPublic = auth !== 'auth:api';
  if (isPublic && bearer !== 'optional') return [];
  return [...(isPublic ? [{}] : []), { bearer: [] }, ...(scope === undefined ? [] : [{ oauth2: [scope] }])];
}

/** The two security schemes: an existing token, and a token that a client requests with its scopes. */
export function securitySchemes(baseUrl: string, paths: Record<string, Record<string, DescribedOperation>>) {
  const scopes = new Set(
    Object.values(paths)
      .flatMap((operations) => Object.values(operations))
      .flatMap(({ security = [] }) => security.flatMap(({ oauth2 = [] }) => oauth2)),
  );
  return {
    bearer: {
      type: 'http' as const,
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: 'An access token from a login or from `/oauth/token`.',
    },
    oauth2: {
      type: 'oauth2' as const,
      description: 'The credentials of a personal client. The page exchanges them for a token.',
      flows: {
        clientCredentials: {
          tokenUrl: `${baseUrl}/oauth/token`,
          scopes: Object.fromEntries([...scopes].sort().map((scope) => [scope, describeScope(scope)])),
        },
      },
    },
  };
}

function describeScope(scope: string): string {
  const [resource, access] = scope.split(':');
  if (access === 'read') return `Read ${resource}.`;
  return access === 'write' ? `Write ${resource}.` : scope;
}
