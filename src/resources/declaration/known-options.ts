import type { AccessRules } from './access.ts';
import type { Action, Declaration, Hooks } from './define-resource.ts';
import type { ComputedOptions } from './fields/computed.ts';
import type { FieldOptions, Fields } from './fields/field.ts';
import { iconName } from './icon.ts';
import {
  anything,
  callback,
  entries,
  flag,
  flagOrTexts,
  formerNames,
  members,
  type OptionKinds,
  oneOfValues,
  schema,
  successStatus,
  textOption,
  texts,
} from './option-kind.ts';
import type { Relation } from './relations.ts';

/** The options of a resource. The compiler checks that each option is here. */
export const resourceOptions: OptionKinds<Declaration> = {
  name: textOption,
  singular: textOption,
  label: textOption,
  icon: iconName,
  description: textOption,
  managed: flag,
  table: textOption,
  renamedFrom: formerNames,
  idType: oneOfValues('uuid', 'text'),
  versioned: flag,
  fields: members('{ title: text({ required: true }) }'),
  relations: members("{ author: belongsTo('authors', { by: 'author_id' }) }"),
  uniqueTogether: entries,
  access: members("{ read: 'auth:api', write: role('admin') }"),
  operations: texts,
  where: callback,
  softDelete: flag,
  defaultOrder: textOption,
  alias: callback,
  hooks: members('{ beforeWrite(call, { values }) { … } }'),
  create: callback,
  update: callback,
  remove: callback,
  actions: entries,
  deleteBody: schema,
  reveals: schema,
  events: flag,
  changes: flagOrTexts,
  mcp: flag,
};

export const accessOptions: OptionKinds<AccessRules> = {
  read: anything,
  write: anything,
  create: anything,
  update: anything,
  delete: anything,
};

export const hookOptions: OptionKinds<Hooks<Fields>> = {
  prepare: callback,
  prepareDelete: callback,
  beforeWrite: callback,
  afterWrite: callback,
  afterCommit: callback,
};

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export const actionOptions: OptionKinds<Action> = {
  name: textOption,
  method: oneOfValues(...methods),
  on: oneOfValues('row', 'collection'),
  access: anything,
  body: schema,
  summary: textOption,
  response: schema,
  status: successStatus,
  run: callback,
};

type LinkOptions<K extends Relation['kind']> = OptionKinds<
  Omit<Extract<Relation, { readonly kind: K }>, 'kind' | 'target'>
>;

export const relationOptions: { readonly [K in Relation['kind']]: LinkOptions<K> } = {
  belongsTo: { by: textOption },
  hasMany: { by: textOption },
  manyToMany: { through: textOption, from: textOption, to: textOption },
  listsNames: { list: textOption, key: textOption },
  namedBy: { list: textOption, key: textOption },
};

/** The options of fields of every type. The file of a type has its own options. */
export const fieldOptions: OptionKinds<FieldOptions<unknown>> = {
  required: flag,
  requiredToCreate: flag,
  default: anything,
  unique: flag,
  readOnly: flag,
  writeOnly: flag,
  immutable: flag,
  hidden: flag,
  virtual: flag,
  searchable: flag,
  sortable: flag,
  renamedFrom: formerNames,
  column: textOption,
  label: textOption,
  hint: textOption,
  description: textOption,
  example: anything,
};

export const computedOptions: OptionKinds<ComputedOptions> = {
  as: oneOfValues('text', 'integer', 'number', 'boolean', 'timestamp', 'json', 'list'),
  from: texts,
  nullable: flag,
  label: textOption,
  description: textOption,
  example: anything,
};
