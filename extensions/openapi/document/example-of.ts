import { type Json, type JsonSchema, resolveReference, type Schemas } from './json-schema.ts';

const maxDepth = 5;

/** A short valid value. Of an object: its required members, or else its first member. */
export function exampleOf(schema: JsonSchema, schemas: Schemas, depth = 0): unknown {
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

export interface Parameter {
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

/** Adds a valid example, which API viewers show as a template, and sets whether a body is required. */
export function completeBody({ requestBody }: DescribedOperation, schemas: Schemas): void {
  const json = requestBody?.content?.['application/json'];
  if (!requestBody || !json?.schema) return;
  json.example ??= exampleOf(json.schema, schemas);
  const { type, required = [] } = resolveReference(json.schema, schemas);
  requestBody.required = type === 'object' && required.length > 0;
}
