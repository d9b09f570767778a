import type { FastifyContextConfig, FastifySchema } from 'fastify';
import { type documentParts, extractComponents, type Json, namedSchema, pascalCase } from './openapi-components.ts';
import { completeBody, type DescribedOperation, type Security, type WriteSamples } from './openapi-examples.ts';

type Operation = DescribedOperation & { 'x-errors'?: FastifyContextConfig['errors'] };

export interface Document extends Json {
  paths?: Record<string, Record<string, Operation>>;
  components?: { schemas?: Json } & Json;
  servers?: readonly { url: string }[];
}

const text = { type: 'string' };

/** RFC 9457. */
export const problemSchema = namedSchema('Problem', {
  type: 'object',
  description: 'An error in the format of RFC 9457.',
  required: ['type', 'title', 'status', 'detail', 'instance'],
  properties: {
    type: text,
    title: text,
    status: { type: 'integer' },
    detail: { ...text, description: 'A description of the error, for people' },
    instance: { ...text, description: 'The request id' },
    code: { ...text, description: 'A stable error code, for programs' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['field', 'code', 'message'],
        properties: {
          field: text,
          code: text,
          message: text,
          limit: { type: ['number', 'string'], description: 'The limit that the value exceeds' },
          values: { type: 'array', items: text, description: 'The values that are allowed' },
        },
      },
    },
  },
});

/** RFC 6749 5.2. */
export const oauthErrorSchema = namedSchema('OAuthError', {
  type: 'object',
  description: 'An error in the format of RFC 6749 5.2.',
  required: ['error', 'error_description'],
  properties: { error: text, error_description: text },
});

const errorResponses = {
  problem: {
    description: 'Any other error. See `code` and `detail`.',
    content: { 'application/problem+json': { schema: problemSchema } },
  },
  oauth: {
    description: 'An error in the format of RFC 6749',
    content: { 'application/json': { schema: oauthErrorSchema } },
  },
};

/** Adds a route's `config` to its description: the allowed callers and the errors. Pages are not part of the API. */
export function describeOperation({
  schema = {},
  url,
  route: { config = {} },
}: {
  schema?: FastifySchema;
  url: string;
  route: { config?: FastifyContextConfig };
}) {
  const { auth, errors = 'problem', docs } = config;
  const visibility = auth === 'auth:web' || errors === 'page' ? { hide: true } : {};
  return { url, schema: { ...docs?.(), ...schema, security: securityOf(config), 'x-errors': errors, ...visibility } };
}

/** Adds to every operation a name for generated clients, its errors and samples, and names its schemas. */
export function completeDocument(
  document: Document,
  { components, tags }: ReturnType<typeof documentParts>,
  writeSamples: WriteSamples,
): Document {
  for (const [path, operations] of Object.entries(document.paths ?? {})) {
    for (const [method, operation] of Object.entries(operations)) {
      operation.operationId ??= operationIdOf(method, path);
      operation.summary ??= `${method.toUpperCase()} ${path}`;
      operation.description ??= `${operation.summary}.`;
      const errorFormat = operation['x-errors'] === 'oauth' ? 'oauth' : 'problem';
      if (errorFormat === 'oauth') operation['x-client'] ??= '';
      delete operation['x-errors'];
      const { responses = {} } = operation;
      // Not `4XX`: some client generators do not read it.
      const has4xx = Object.keys(responses).some((status) => status.startsWith('4'));
      operation.responses = { ...responses, default: responses.default ?? errorResponses[errorFormat] };
      if (!has4xx) operation.responses[400] = errorResponses[errorFormat];
    }
  }
  const { paths, schemas } = extractComponents(
    document.paths ?? {},
    new Map(components.flatMap((schemas) => [...schemas()])),
  );
  const baseUrl = document.servers?.[0]?.url ?? '';
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      completeBody(operation, schemas);
      operation['x-codeSamples'] = writeSamples(operation, { baseUrl, method, path, schemas });
      delete operation['x-client'];
    }
  }
  return {
    ...document,
    tags: tagsOf(paths, tags),
    paths,
    components: { securitySchemes: securitySchemes(baseUrl, paths), schemas },
  };
}

/** The tags of all operations: first those with a description, in their order. */
function tagsOf(paths: Record<string, Record<string, Operation>>, described: ReadonlyMap<string, string>): Json[] {
  const usedTags = new Set(
    Object.values(paths).flatMap((operations) => Object.values(operations).flatMap(({ tags = [] }) => tags)),
  );
  const names = [...[...described.keys()].filter((name) => usedTags.has(name)), ...usedTags];
  return [...new Set(names)].map((name) => ({ name, description: described.get(name) ?? `Endpoints of ${name}.` }));
}

/** `get /v1/cars/{id}` → `getCarsById`. */
const operationIdOf = (method: string, path: string): string =>
  method + pascalCase(path.replace(/^\/v1\//, '/').replace(/\{(\w+)\}/g, 'by-$1'));

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
