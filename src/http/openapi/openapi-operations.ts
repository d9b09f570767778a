import type { FastifyContextConfig } from 'fastify';

type Json = Record<string, unknown>;

interface Operation extends Json {
  operationId?: string;
  responses?: Json;
  'x-errors'?: FastifyContextConfig['errors'];
}

interface Document extends Json {
  paths?: Record<string, Record<string, Operation>>;
  components?: { schemas?: Json } & Json;
}

const text = { type: 'string' };

/** The bodies of errors: RFC 9457 and RFC 6749 5.2. */
const errorSchemas = {
  Problem: {
    type: 'object',
    required: ['type', 'title', 'status', 'detail', 'instance'],
    properties: {
      type: text,
      title: text,
      status: { type: 'integer' },
      detail: { ...text, description: 'What was wrong, for people' },
      instance: { ...text, description: 'The request id' },
      code: { ...text, description: 'What was wrong, for programs: stable' },
      errors: {
        type: 'array',
        items: {
          type: 'object',
          required: ['field', 'code', 'message'],
          properties: { field: text, code: text, message: text },
        },
      },
    },
  },
  OAuthError: {
    type: 'object',
    required: ['error', 'error_description'],
    properties: { error: text, error_description: text },
  },
};

const refusals = {
  problem: content('Refused: see `code` and `detail`', 'application/problem+json', 'Problem'),
  oauth: content('Refused, in the form of RFC 6749', 'application/json', 'OAuthError'),
};

function content(description: string, type: string, schema: keyof typeof errorSchemas): Json {
  return { description, content: { [type]: { schema: { $ref: `#/components/schemas/${schema}` } } } };
}

/** What a route's `config` says belongs in its description too: who may call it, and how it refuses. Pages are not API. */
export function markOperation({
  schema = {},
  url,
  route,
}: {
  schema?: Json;
  url: string;
  route: { config?: FastifyContextConfig };
}): { schema: Json; url: string } {
  const { auth, errors = 'problem' } = route.config ?? {};
  const hidden = auth === 'auth:web' || errors === 'page' ? { hide: true } : {};
  const security = auth === 'auth:api' ? [{ bearer: [] }] : [];
  return { url, schema: { security, ...schema, 'x-errors': errors, ...hidden } };
}

/** Gives every operation a name for generated clients, and its refusals. */
export function completeDocument({ openapiObject }: { openapiObject: Document }): Document {
  for (const [path, operations] of Object.entries(openapiObject.paths ?? {})) {
    for (const [method, operation] of Object.entries(operations)) {
      operation.operationId ??= nameOf(method, path);
      const form = operation['x-errors'] === 'oauth' ? 'oauth' : 'problem';
      delete operation['x-errors'];
      operation.responses = { ...operation.responses, '4XX': operation.responses?.['4XX'] ?? refusals[form] };
    }
  }
  openapiObject.components = {
    ...openapiObject.components,
    schemas: { ...openapiObject.components?.schemas, ...errorSchemas },
  };
  return openapiObject;
}

/** `get /v1/cars/{id}` → `getCarsById`. */
function nameOf(method: string, path: string): string {
  const words = path
    .replace(/^\/v1\//, '/')
    .replace(/\{(\w+)\}/g, 'by-$1')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean);
  return method + words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('');
}
