import { oauthErrorSchema } from '../../../src/oauth/schemas.ts';
import type { Resource, Resources } from '../../../src/resources/model/resource.ts';
import { codeSamples } from './code-samples.ts';
import { pascalCase } from './component-names.ts';
import { completeBody, type DescribedOperation } from './example-of.ts';
import { extractComponents } from './extract-components.ts';
import type { Json } from './json-schema.ts';
import { problemSchema } from './problem-schema.ts';

type Operation = DescribedOperation & { 'x-errors'?: string };

export interface Document extends Json {
  paths?: Record<string, Record<string, Operation>>;
  components?: { schemas?: Json; securitySchemes?: Json } & Json;
  servers?: readonly { url: string }[];
}

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

const notModified = { description: '`If-None-Match` names the ETag of the current response.' };

/** Adds to every operation a name for generated clients, its errors and samples, and names its schemas. */
export function completeDocument(document: Document, resources: Resources): Document {
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
      if (method === 'get' && responses[200]) operation.responses[304] = notModified;
    }
  }
  const { paths, schemas } = extractComponents(document.paths ?? {}, resources);
  const baseUrl = document.servers?.[0]?.url ?? '';
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      completeBody(operation, schemas);
      // Only the pages of this service can send the session of a browser.
      if (!operation.security?.some((scheme) => 'session' in scheme))
        operation['x-codeSamples'] = codeSamples(operation, { baseUrl, method, path, schemas });
      delete operation['x-client'];
    }
  }
  return {
    ...document,
    tags: tagsOf(paths, describeTags(resources)),
    paths,
    components: { securitySchemes: { ...securitySchemes(baseUrl, paths), ...sessionScheme(document, paths) }, schemas },
  };
}

/** The tags of the built-in endpoints. They follow those of resources. */
const defaultTags: readonly [string, string][] = [
  ['First-party clients', 'Sign in and refresh without a client secret: the server adds it.'],
  ['sessions', 'The session of your access token, and how its owner proved who they are.'],
  ['OAuth', 'Standard OAuth 2.0 and OpenID Connect endpoints.'],
];

/** The tags with their descriptions, in reading order. The resources of the operator come first. */
function describeTags(resources: Resources): ReadonlyMap<string, string> {
  const isManaged = ({ definition }: Resource) => Number(definition.managed);
  const sorted = [...resources.values()].sort((a, b) => isManaged(b) - isManaged(a));
  const tags = sorted.map(({ name, definition }) => [name, definition.description ?? `The ${name}.`] as const);
  return new Map([...tags, ...defaultTags]);
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

/** The session cookie, if an operation needs it. */
function sessionScheme({ components }: Document, paths: Record<string, Record<string, DescribedOperation>>) {
  const operations = Object.values(paths).flatMap((operations) => Object.values(operations));
  const isUsed = operations.some(({ security = [] }) => security.some((scheme) => 'session' in scheme));
  return isUsed ? { session: components?.securitySchemes?.session } : {};
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
