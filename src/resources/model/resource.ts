import type { ResourceDefinition } from '../declaration/define-resource.ts';
import { isComputed } from '../declaration/fields/computed.ts';
import type { Field } from '../declaration/fields/field.ts';
import type { FieldType, SearchedField } from '../declaration/fields/field-type.ts';
import { fieldTypeOf, isIndexed } from '../declaration/fields/field-types.ts';
import { fold, foldAscii } from '../declaration/fields/folding.ts';
import { referenceTo } from '../declaration/fields/reference.ts';
import { textId, textIdType } from '../declaration/fields/text.ts';
import { timestamp } from '../declaration/fields/timestamp.ts';
import { uuid, uuidType } from '../declaration/fields/uuid.ts';
import type { Relation } from '../declaration/relations.ts';
import { quoted } from '../sql/sql-text.ts';

/** A field with the values that the resource engine derives from its declaration. */
export interface ResourceField extends SearchedField {
  /** Computed and virtual fields have no column. */
  readonly stored: boolean;
  readonly shown: boolean;
  readonly sendable: boolean;
  readonly nullable: boolean;
  readonly compute: ((row: Record<string, unknown>) => unknown) | undefined;
  /** The hidden column with the folded text, if there is one. */
  readonly foldedColumn: string | undefined;
}

export interface ResourceRelation {
  readonly name: string;
  readonly relation: Relation;
  readonly target: Resource;
  readonly through: Resource | undefined;
}

export interface Resource {
  readonly name: string;
  readonly singular: string;
  readonly definition: ResourceDefinition;
  /** Quoted. */
  readonly table: string;
  readonly idType: FieldType;
  readonly versioned: boolean;
  /** Whether its rows determine the rights of callers: users, clients, sessions. */
  readonly changesAccounts: boolean;
  readonly fields: ReadonlyMap<string, ResourceField>;
  readonly shown: readonly ResourceField[];
  readonly stored: readonly ResourceField[];
  readonly relations: ReadonlyMap<string, ResourceRelation>;
  /** The fields that its changes show. Undefined if changes are not recorded. */
  readonly changes: readonly ResourceField[] | undefined;
  /** Whether writes of its rows, or of rows that refer to them, are recorded. */
  recorded: boolean;
  readonly readScope: string;
  readonly writeScope: string;
}

export type Resources = ReadonlyMap<string, Resource>;

/** Whether any table has recorded changes, for code that may write all tables. */
export const isAnyRecorded = (resources: Resources) => [...resources.values()].some(({ recorded }) => recorded);

const accountTables = ['users', 'clients', 'sessions', 'consents'];

const implicit: Readonly<Record<string, Field>> = {
  created_at: timestamp({ required: true, readOnly: true, searchable: true, sortable: true }),
  updated_at: timestamp({ required: true, readOnly: true, searchable: true, sortable: true }),
};

const deletion: Readonly<Record<string, Field>> = {
  deleted_at: timestamp({ readOnly: true, searchable: true, sortable: true }),
};

export function allFields(definition: ResourceDefinition): [string, Field][] {
  const { fields, idType = 'uuid', managed, softDelete } = definition;
  const idOptions = { required: true, readOnly: true, searchable: true, sortable: true } as const;
  const id = idType === 'uuid' ? uuid(idOptions) : textId(idOptions);
  const added = { ...(managed ? implicit : {}), ...(softDelete ? deletion : {}) };
  return [['id', id], ...Object.entries(fields), ...Object.entries(added)];
}

/** A searchable or sortable text of a managed table has a second column with the folded text. */
export const foldedColumnOf = (managed: boolean, column: string, field: Field): string | undefined =>
  managed && !isComputed(field) && fieldTypeOf(field).isFolded && (field.options.searchable || field.options.sortable)
    ? `${column}_folded`
    : undefined;

function compileField(definition: ResourceDefinition, name: string, field: Field, ids: FieldType): ResourceField {
  const { options, compute } = field;
  const isId = name === 'id';
  const type = isId ? ids : options.target === undefined ? fieldTypeOf(field) : referenceTo(ids);
  const column = options.column ?? name;
  const foldedColumn = isId ? undefined : foldedColumnOf(definition.managed, column, field);
  const isFolded = type.isFolded === true && !isId;
  const foldsAscii = isFolded && !foldedColumn && options.folded !== 'stored';
  const compared = quoted(foldedColumn ?? column);
  return {
    name,
    type,
    options,
    column,
    stored: !isComputed(field) && !options.virtual,
    shown: !options.hidden && !options.writeOnly && !options.virtual,
    sendable: !options.readOnly && !options.hidden,
    nullable: isComputed(field) ? options.nullable === true : !options.required && options.default === undefined,
    compute,
    foldedColumn,
    indexed: isIndexed(field),
    comparisonSql: (alias) => (foldsAscii ? `lower(${alias}.${compared})` : `${alias}.${compared}`),
    foldText: !isFolded ? (value) => value : foldsAscii ? foldAscii : fold,
  };
}

const idTypeOf = ({ idType = 'uuid' }: ResourceDefinition): FieldType => (idType === 'uuid' ? uuidType : textIdType);

export function compileResources(definitions: readonly ResourceDefinition[]): Resources {
  const byName = new Map(definitions.map((definition) => [definition.name, definition]));
  const compiled = new Map<string, Resource & { relations: Map<string, ResourceRelation> }>();
  for (const definition of definitions) {
    const { name, singular = name.replace(/s$/, ''), table = name, versioned = true } = definition;
    const fields = allFields(definition).map(([fieldName, field]) => {
      const target = fieldName === 'id' ? definition : byName.get(field.options.target ?? '');
      return compileField(definition, fieldName, field, target ? idTypeOf(target) : uuidType);
    });
    compiled.set(name, {
      name,
      singular,
      definition,
      table: quoted(table),
      idType: idTypeOf(definition),
      versioned,
      changesAccounts: accountTables.includes(table),
      fields: new Map(fields.map((field) => [field.name, field])),
      shown: fields.filter(({ shown }) => shown),
      stored: fields.filter(({ stored }) => stored),
      relations: new Map(),
      changes: changesOf(definition, fields),
      recorded: false,
      readScope: `${name}:read`,
      writeScope: `${name}:write`,
    });
  }
  for (const resource of compiled.values()) {
    for (const [name, relation] of Object.entries(resource.definition.relations ?? {})) {
      resource.relations.set(name, {
        name,
        relation,
        target: compiled.get(relation.target) as Resource,
        through: relation.kind === 'manyToMany' ? compiled.get(relation.through) : undefined,
      });
    }
  }
  markRecorded([...compiled.values()]);
  return compiled;
}

function changesOf({ changes }: ResourceDefinition, fields: readonly ResourceField[]): ResourceField[] | undefined {
  if (!changes) return undefined;
  const isNamed = (name: string) => changes === true || name === 'id' || changes.includes(name);
  return fields.filter(({ name, shown }) => shown && isNamed(name));
}

/** Deleting a row can delete or change rows that refer to it. */
function markRecorded(
  resources: readonly { name: string; changes: unknown; stored: readonly ResourceField[]; recorded: boolean }[],
): void {
  const recordedResources = resources.filter(({ changes }) => changes !== undefined);
  for (const resource of recordedResources) {
    resource.recorded = true;
    for (const { options } of resource.stored) {
      const target = resources.find(({ name }) => name === options.target);
      if (target && !recordedResources.includes(target)) recordedResources.push(target);
    }
  }
}

export function fieldOf(resource: Resource, name: string): ResourceField {
  const field = resource.fields.get(name);
  if (!field) throw new Error(`${resource.name} has no field "${name}"`);
  return field;
}

export const columnOf = (resource: Resource, name: string): string => quoted(fieldOf(resource, name).column);
