import type { Gatehouse } from '../../../client/gatehouse.ts';
import type { AnyOptions } from '../../../src/resources/declaration/fields/field.ts';

export interface RelationDescription {
  name: string;
  kind: string;
  resource: string;
  /** The reference field: of this resource for `belongsTo`, of the other one for `hasMany`. */
  by?: string;
  /** For `listsNames`: the list field of this resource, and the field of the other one that it names. */
  list?: string;
  key?: string;
  /** For `manyToMany`: the resource of the links, and its references to this resource and to the other one. */
  through?: string;
  from?: string;
  to?: string;
}

export type Operation = 'list' | 'find' | 'create' | 'replace' | 'update' | 'delete';

/** An action of the operator: a POST route in addition to the generated routes. */
export interface ActionDescription {
  name: string;
  summary: string;
  on: 'row' | 'collection';
  /** The values that the action takes. */
  fields: FieldDescription[];
}

/** Which rows a user may read. */
type VisibleRows = 'none' | 'some' | 'all';

export interface ResourceDescription {
  name: string;
  singular: string;
  label?: string;
  icon?: string;
  description?: string;
  fields: FieldDescription[];
  relations: RelationDescription[];
  operations: ReadonlySet<Operation>;
  defaultOrder?: string;
  /** Deleted rows are kept, and can be restored. */
  softDelete?: boolean;
  /** Its writes are in the audit trail. */
  events?: boolean;
  /** Its writes can be followed at `/v1/changes`. */
  changes?: boolean;
  actions: ActionDescription[];
  /** The rows that a user without a role may read, and a user with each role alone. */
  readers?: { everyone: VisibleRows; roles: Record<string, VisibleRows> };
}

/** Loads the descriptions of the operator's resources and of the built-in ones. */
export async function loadDescriptions(gatehouse: Gatehouse): Promise<ResourceDescription[]> {
  const { body } = await gatehouse.call<{ data: Raw[] }>({ method: 'GET', path: '/v1/resources', repeatable: true });
  return body.data.map(describe);
}

type Raw = Omit<ResourceDescription, 'singular' | 'fields' | 'relations' | 'operations' | 'actions'> & {
  singular?: string;
  fields?: Record<string, Omit<FieldDescription, 'name'>>;
  relations?: Record<string, Omit<RelationDescription, 'name'>>;
  operations?: Operation[];
  actions?: (Omit<ActionDescription, 'fields'> & { method: string; bodySchema?: Schema })[];
};

const everything: Operation[] = ['list', 'find', 'create', 'replace', 'update', 'delete'];

/** Only a device of the owner can create rows of these resources. */
const ofDevices = new Set(['passkeys', 'authenticators']);

export function describe(raw: Raw): ResourceDescription {
  const { name, fields, relations, operations = everything, actions = [], ...rest } = raw;
  return {
    singular: name.replace(/s$/, ''),
    ...rest,
    name,
    fields: toNamedList(fields),
    relations: toNamedList(relations),
    operations: new Set(operations.filter((operation) => operation !== 'create' || !ofDevices.has(name))),
    actions: actions
      .filter(({ method }) => method === 'POST')
      .map(({ bodySchema, ...action }) => ({ ...action, fields: fieldsOfSchema(bodySchema) })),
  };
}

/** Converts an object of descriptions by name to a list. */
const toNamedList = <T extends object>(values: Record<string, T> = {}): (T & { name: string })[] =>
  Object.entries(values).map(([name, raw]) => ({ name, ...raw }));

/** The members of a JSON Schema that forms use. */
interface Schema {
  type?: string;
  format?: string;
  pattern?: string;
  title?: string;
  description?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  enum?: unknown[];
  anyOf?: Schema[];
  const?: unknown;
  examples?: unknown[];
  default?: unknown;
}

/** The members of an action's body as fields. Members other than plain values and lists of strings are edited as JSON. */
function fieldsOfSchema({ properties = {}, required = [] }: Schema = {}): FieldDescription[] {
  return Object.entries(properties).map(([name, property]) => {
    const { title, description, examples, default: preset } = property;
    const described = { label: title, description, default: preset, example: examples?.[0] };
    return { name, ...typeOf(property), ...described, required: required.includes(name) };
  });
}

function typeOf(property: Schema): Omit<FieldDescription, 'name'> {
  const { type, format, pattern, minimum, maximum, minLength, maxLength } = property;
  const values = valuesOf(property);
  if (values) return { type: 'enum', values };
  switch (type) {
    case 'integer':
    case 'number':
      return { type, min: minimum, max: maximum };
    case 'boolean':
      return { type: 'boolean' };
    case 'string':
      if (format === 'date') return { type: 'date' };
      if (format === 'date-time') return { type: 'timestamp' };
      return { type: 'text', min: minLength, max: maxLength, pattern };
    case 'array':
      return listOf(property.items);
    default:
      return { type: 'json' };
  }
}

function listOf(items: Schema = {}): Omit<FieldDescription, 'name'> {
  const values = valuesOf(items);
  return values ? { type: 'list', values } : { type: items.type === 'string' ? 'list' : 'json' };
}

/** The strings of `enum: […]`, or of a union of literals: `anyOf: [{ const }, …]`. */
function valuesOf({ enum: listed, anyOf }: Schema): string[] | undefined {
  const values = listed ?? anyOf?.map((literal) => literal.const) ?? [];
  return values.length > 0 && values.every((value) => typeof value === 'string') ? values : undefined;
}

/** A field of a resource, as `GET /v1/resources` describes it. */
export interface FieldDescription extends Omit<AnyOptions, 'target' | 'pattern'> {
  name: string;
  type: string;
  /** The resource whose ids it holds. */
  references?: string;
  pattern?: string;
}
