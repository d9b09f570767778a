import { type Json, type JsonSchema, resolveReference, type Schemas } from './openapi-components.ts';
import { go, php, python, type SampleRequest } from './sample-languages.ts';

const maxDepth = 5;

/** A short valid value. Of an object: its required members, or else its first member. */
function exampleOf(schema: JsonSchema, schemas: Schemas, depth = 0): unknown {
  const { examples, example, enum: values, const: constant, anyOf, oneOf, allOf, type, default: defaultValue } = schema;
  if (schema.$ref !== undefined) return exampleOf(resolveReference(schema, schemas), schemas, depth);
  const declared = [example, examples?.[0], constant, defaultValue].find((value) => value !== undefined);
  if (declared !== undefined) return declared;
  if (values) return values[0];
  const [choice] = anyOf ?? oneOf ?? [];
  if (choice) return exampleOf(choice, schemas, depth);
  if (allOf) return Object.assign({}, ...allOf.map((part) => exampleOf(part, schemas, depth)));
  switch ([type].flat()[0]) {
    case 'object':
      return depth < maxDepth ? objectOf(schema, schemas, depth + 1) : {};
    case 'array':
      return [exampleOf(schema.items ?? {}, schemas, depth + 1)];
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    default:
      return 'text';
  }
}

function objectOf({ properties = {}, required = [] }: JsonSchema, schemas: Schemas, depth: number): Json {
  const members = Object.entries(properties);
  const requiredMembers = members.filter(([name]) => required.includes(name));
  const exampleMembers = requiredMembers.length > 0 ? requiredMembers : members.slice(0, 1);
  return Object.fromEntries(exampleMembers.map(([name, member]) => [name, exampleOf(member, schemas, depth)]));
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: JsonSchema;
  readonly example?: unknown;
}

/** The scopes of each security scheme. Empty: no security. */
export type Security = Readonly<Record<string, readonly string[]>>;

export interface DescribedResponse {
  readonly description?: string;
  readonly content?: Readonly<Record<string, { readonly schema?: JsonSchema }>>;
}

export interface DescribedOperation extends Json {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security?: readonly Security[];
  responses?: Record<string, DescribedResponse>;
  parameters?: readonly Parameter[];
  requestBody?: { required?: boolean; content?: Record<string, { schema?: JsonSchema; example?: unknown }> };
  /** The method call of the client for this operation, if it is shorter than `gatehouse.call`. Empty: no client sample. */
  'x-client'?: string;
}

interface SampleTarget {
  readonly baseUrl: string;
  readonly method: string;
  readonly path: string;
  readonly schemas: Schemas;
}

const shellQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Samples for the shell, the client and other languages. API viewers show them beside the operation. */
export function codeSamples(operation: DescribedOperation, target: SampleTarget): Json[] {
  const client = clientCall(operation, target);
  const request = {
    method: target.method,
    url: target.baseUrl + fillPath(target.path, operation, target.schemas) + queryOf(operation, target.schemas),
    accepts: target.path.startsWith('/v1'),
    secured: operation.security?.some((scheme) => 'bearer' in scheme) === true,
    body: bodyOf(operation),
  };
  return [
    { lang: 'Shell', label: 'curl', source: curl(request) },
    ...(client === '' ? [] : [{ lang: 'TypeScript', label: 'client', source: client }]),
    { lang: 'Python', label: 'Python', source: python(request) },
    { lang: 'Go', label: 'Go', source: go(request) },
    { lang: 'PHP', label: 'PHP', source: php(request) },
  ];
}

function curl({ method, url, accepts, secured, body }: SampleRequest): string {
  const lines = [`curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}${shellQuote(url)}`];
  if (accepts) lines.push("-H 'Accept: application/json'");
  if (secured) lines.push('-H "Authorization: Bearer $ACCESS"');
  if (body !== undefined) lines.push("-H 'Content-Type: application/json'", `-d ${shellQuote(JSON.stringify(body))}`);
  return lines.join(' \\\n  ');
}

function clientCall(operation: DescribedOperation, { method, path, schemas }: SampleTarget): string {
  const clientTemplate = operation['x-client'];
  const body = bodyOf(operation);
  if (clientTemplate !== undefined) return clientTemplate.replaceAll('{body}', body === undefined ? '' : literal(body));
  const address = fillPath(path, operation, schemas) + queryOf(operation, schemas);
  const parts = [
    `method: '${method.toUpperCase()}'`,
    `path: '${address}'`,
    ...(body === undefined ? [] : [`body: ${literal(body)}`]),
  ];
  return `const { body } = await gatehouse.call({ ${parts.join(', ')} });`;
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'string' && !/['\\\n]/.test(value)) return `'${value}'`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
    return `${key}: ${literal(member)}`;
  });
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function bodyOf({ requestBody }: DescribedOperation): unknown {
  return requestBody?.content?.['application/json']?.example;
}

const parameterExample = ({ example, schema = {} }: Parameter, schemas: Schemas): unknown =>
  example ?? exampleOf(schema, schemas);

/** Adds a valid example, which API viewers show as a template, and sets whether a body is required. */
export function completeBody({ requestBody }: DescribedOperation, schemas: Schemas): void {
  const json = requestBody?.content?.['application/json'];
  if (!requestBody || !json?.schema) return;
  json.example ??= exampleOf(json.schema, schemas);
  const { type, required = [] } = resolveReference(json.schema, schemas);
  requestBody.required = type === 'object' && required.length > 0;
}

function fillPath(path: string, { parameters = [] }: DescribedOperation, schemas: Schemas): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((candidate) => candidate.in === 'path' && candidate.name === name);
    return encodeURIComponent(String(parameter && parameterExample(parameter, schemas)));
  });
}

function queryOf({ parameters = [] }: DescribedOperation, schemas: Schemas): string {
  const requiredParameters = parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
  const pairs = requiredParameters.map((parameter) => [parameter.name, String(parameterExample(parameter, schemas))]);
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}
