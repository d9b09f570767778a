import type { Gatehouse } from '../../../client/gatehouse.ts';
import { fieldsOfSchema } from './fields-of-schema.ts';

export type FieldType =
  | 'text'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'date'
  | 'timestamp'
  | 'enum'
  | 'json'
  | 'list'
  | 'uuid'
  | 'reference';

export interface FieldDescription {
  name: string;
  type: FieldType;
  label: string | undefined;
  description: string | undefined;
  /** How to fill it in, in the operator's words. */
  hint: string | undefined;
  example: unknown;
  required: boolean;
  readOnly: boolean;
  writeOnly: boolean;
  /** Can be set when a row is made, and not changed afterwards. */
  immutable: boolean;
  searchable: boolean;
  sortable: boolean;
  values: string[] | undefined;
  /** The resource whose ids it holds. */
  references: string | undefined;
  defaultValue: unknown;
  min: number | undefined;
  max: number | undefined;
  pattern: string | undefined;
  unique: boolean;
}

export interface RelationDescription {
  name: string;
  kind: string;
  resource: string;
  /** The reference field: of this resource for `belongsTo`, of the other one for `hasMany`. */
  by: string | undefined;
  /** For `listsNames`: the list field of this resource, and the field of the other one that it names. */
  list: string | undefined;
  key: string | undefined;
  /** For `manyToMany`: the resource of the links, and its references to this resource and to the other one. */
  through: string | undefined;
  from: string | undefined;
  to: string | undefined;
}

export type Operation = 'list' | 'find' | 'create' | 'replace' | 'update' | 'delete';

/** A hand-written route on one row, beside the generated ones. */
export interface ActionDescription {
  name: string;
  summary: string;
  on: 'row' | 'collection';
  /** What is asked for before it is done; none: nothing. */
  fields: FieldDescription[];
}

export interface ResourceDescription {
  name: string;
  singular: string;
  label: string | undefined;
  icon: string | undefined;
  description: string | undefined;
  fields: FieldDescription[];
  relations: RelationDescription[];
  operations: ReadonlySet<Operation>;
  defaultOrder: string | undefined;
  /** Those that a button can call: by POST. */
  actions: ActionDescription[];
}

/** What `GET /v1/resources` says of the operator's resources and of the service's own. */
export async function loadDescriptions(gatehouse: Gatehouse): Promise<ResourceDescription[]> {
  const { body } = await gatehouse.call({ method: 'GET', path: '/v1/resources', repeatable: true });
  return (body as { data: Raw[] }).data.map(describe);
}

type Raw = Record<string, unknown>;

const everything: Operation[] = ['list', 'find', 'create', 'replace', 'update', 'delete'];

export function describe(raw: Raw): ResourceDescription {
  const name = String(raw.name);
  return {
    name,
    singular: text(raw.singular) ?? name.replace(/s$/, ''),
    label: text(raw.label),
    icon: text(raw.icon),
    description: text(raw.description),
    fields: named(raw.fields).map(fieldOf),
    relations: named(raw.relations).map(relationOf),
    operations: new Set(Array.isArray(raw.operations) ? (raw.operations as Operation[]) : everything),
    defaultOrder: text(raw.defaultOrder),
    actions: (Array.isArray(raw.actions) ? (raw.actions as Raw[]) : []).filter(isButton).map(actionOf),
  };
}

const isButton = ({ method }: Raw): boolean => method === 'POST';

const actionOf = ({ name, summary, on, bodySchema }: Raw): ActionDescription => ({
  name: String(name),
  summary: text(summary) ?? '',
  on: on === 'collection' ? 'collection' : 'row',
  fields: fieldsOfSchema(bodySchema as Raw | undefined).map(fieldOf),
});

function fieldOf([name, raw]: [string, Raw]): FieldDescription {
  return {
    name,
    type: String(raw.type) as FieldType,
    label: text(raw.label),
    description: text(raw.description),
    hint: text(raw.hint),
    example: raw.example,
    required: raw.required === true,
    readOnly: raw.readOnly === true,
    writeOnly: raw.writeOnly === true,
    immutable: raw.immutable === true,
    searchable: raw.searchable === true,
    sortable: raw.sortable === true,
    values: Array.isArray(raw.values) ? raw.values.map(String) : undefined,
    references: text(raw.references),
    defaultValue: raw.default,
    min: amount(raw.min),
    max: amount(raw.max),
    pattern: text(raw.pattern),
    unique: raw.unique === true,
  };
}

function relationOf([name, raw]: [string, Raw]): RelationDescription {
  return {
    name,
    kind: String(raw.kind),
    resource: String(raw.resource),
    by: text(raw.by),
    list: text(raw.list),
    key: text(raw.key),
    through: text(raw.through),
    from: text(raw.from),
    to: text(raw.to),
  };
}

const named = (value: unknown): [string, Raw][] => Object.entries((value ?? {}) as Record<string, Raw>);
const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const amount = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
