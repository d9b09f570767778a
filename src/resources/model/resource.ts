import { indexableMax } from '../declaration/check-fields.ts';
import type { ResourceDefinition } from '../declaration/define-resource.ts';
import { kindOf, textIdentifier, type ValueKind } from '../declaration/field-values.ts';
import { fold, foldAscii } from '../declaration/fields/folding.ts';
import { type AnyOptions, type Field, type FieldType, text, timestamp, uuid } from '../declaration/fields.ts';
import type { Relation } from '../declaration/relations.ts';
import { quoted } from '../sql/sql-text.ts';

/** A field as the engine works with it. */
export interface ResourceField {
  readonly name: string;
  readonly type: FieldType;
  readonly options: AnyOptions;
  readonly column: string;
  /** Has a column. Computed and virtual fields have none. */
  readonly stored: boolean;
  readonly shown: boolean;
  readonly sendable: boolean;
  readonly nullable: boolean;
  /** Undefined for computed fields. */
  readonly kind: ValueKind | undefined;
  readonly compute: ((row: Record<string, unknown>) => unknown) | undefined;
  /** The hidden column that holds the folded text, where there is one. */
  readonly shadow: string | undefined;
  /** The SQL of what is compared and sorted: the folded text for texts, else the column. */
  compared(alias: string): string;
  /** A search's text in the form of what is compared. */
  foldText(value: string): string;
}

export interface ResourceRelation {
  readonly name: string;
  readonly relation: Relation;
  readonly target: Resource;
  /** The links of a many-to-many relation. */
  readonly through: Resource | undefined;
}

export interface Resource {
  readonly name: string;
  readonly singular: string;
  readonly definition: ResourceDefinition;
  /** Quoted. */
  readonly table: string;
  readonly idKind: ValueKind;
  readonly versioned: boolean;
  /** Its rows decide who may do what: users, clients, sessions. */
  readonly ofAccounts: boolean;
  readonly fields: ReadonlyMap<string, ResourceField>;
  readonly shown: readonly ResourceField[];
  readonly stored: readonly ResourceField[];
  readonly relations: ReadonlyMap<string, ResourceRelation>;
  readonly readScope: string;
  readonly writeScope: string;
}

export type Resources = ReadonlyMap<string, Resource>;

const accountTables = ['users', 'clients', 'sessions'];

const implicit: Readonly<Record<string, Field>> = {
  created_at: timestamp({ required: true, readOnly: true, searchable: true, sortable: true }),
  updated_at: timestamp({ required: true, readOnly: true, searchable: true, sortable: true }),
};

/** Every field of a declaration, with those that it need not name. */
export function allFields(definition: ResourceDefinition): [string, Field][] {
  const { fields, idType = 'uuid', managed } = definition;
  const idOptions = { required: true, readOnly: true, searchable: true, sortable: true } as const;
  const id = idType === 'uuid' ? uuid(idOptions) : text({ ...idOptions, folded: 'stored', max: 128 });
  return [['id', id], ...Object.entries(fields), ...(managed ? Object.entries(implicit) : [])];
}

/** Text of managed tables that is searched or sorted has a folded twin. */
export const shadowOf = (managed: boolean, column: string, { type, options }: Field): string | undefined =>
  managed && type === 'text' && column !== 'id' && (options.searchable || options.sortable)
    ? `${column}_folded`
    : undefined;

/** Whether an index can serve what the declaration promises of the field. */
export const isIndexed = ({ type, options }: Field): boolean => {
  if (type === 'reference') return true;
  if (!options.searchable && !options.sortable) return false;
  return type !== 'list' && type !== 'json' && (type !== 'text' || (options.max ?? 255) <= indexableMax);
};

function compileField(definition: ResourceDefinition, name: string, field: Field, targetIds: ValueKind): ResourceField {
  const { type, options, compute } = field;
  const column = options.column ?? name;
  const stored = type !== 'computed' && !options.virtual;
  const shadow = shadowOf(definition.managed, column, field);
  const own = quoted(column);
  const isText = type === 'text' && name !== 'id';
  const asciiFolded = isText && !shadow && options.folded !== 'stored';
  const compared = shadow ? quoted(shadow) : own;
  const kind = name === 'id' || type === 'reference' ? targetIds : type === 'computed' ? undefined : kindOf(type);
  return {
    name,
    type,
    options,
    column,
    stored,
    shown: !options.hidden && !options.writeOnly && !options.virtual,
    sendable: !options.readOnly && !options.hidden,
    nullable: type === 'computed' ? options.nullable === true : !options.required && options.default === undefined,
    kind,
    compute,
    shadow,
    compared: (alias) => (asciiFolded ? `lower(${alias}.${compared})` : `${alias}.${compared}`),
    foldText: !isText ? (value) => value : asciiFolded ? foldAscii : fold,
  };
}

const idKindOf = ({ idType = 'uuid' }: ResourceDefinition): ValueKind =>
  idType === 'uuid' ? kindOf('uuid') : textIdentifier;

/** Prepares checked declarations for work, and ties their relations together. */
export function compileResources(definitions: readonly ResourceDefinition[]): Resources {
  const byName = new Map(definitions.map((definition) => [definition.name, definition]));
  const compiled = new Map<string, Resource & { relations: Map<string, ResourceRelation> }>();
  for (const definition of definitions) {
    const { name, table = name, versioned = true } = definition;
    const fields = allFields(definition).map(([fieldName, field]) => {
      const target = fieldName === 'id' ? definition : byName.get(field.options.target ?? '');
      return compileField(definition, fieldName, field, target ? idKindOf(target) : kindOf('uuid'));
    });
    compiled.set(name, {
      name,
      singular: definition.singular ?? name.replace(/s$/, ''),
      definition,
      table: quoted(table),
      idKind: idKindOf(definition),
      versioned,
      ofAccounts: accountTables.includes(table),
      fields: new Map(fields.map((field) => [field.name, field])),
      shown: fields.filter(({ shown }) => shown),
      stored: fields.filter(({ stored }) => stored),
      relations: new Map(),
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
  return compiled;
}

export function fieldOf(resource: Resource, name: string): ResourceField {
  const field = resource.fields.get(name);
  if (!field) throw new Error(`${resource.name} has no field "${name}"`);
  return field;
}

export const columnOf = (resource: Resource, name: string): string => quoted(fieldOf(resource, name).column);
