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
  type OptionKind,
  type OptionKinds,
  oneOfValues,
  schema,
  successStatus,
  textOption,
  texts,
} from './option-kind.ts';
import type { Links } from './relations.ts';

/** Options of one kind. The compiler checks that each option exists, and that no option is missing. */
const optionsOf =
  <Options>() =>
  <const N extends keyof Options & string>(kind: OptionKind, ...names: N[]) =>
    Object.fromEntries(names.map((name) => [name, kind])) as Record<N, OptionKind>;

const resource = optionsOf<Declaration>();
export const resourceOptions: OptionKinds<Declaration> = {
  ...resource(textOption, 'name', 'singular', 'label'),
  icon: iconName,
  ...resource(textOption, 'description', 'table'),
  managed: flag,
  renamedFrom: formerNames,
  idType: oneOfValues('uuid', 'text'),
  fields: members('{ title: text({ required: true }) }'),
  relations: members("{ author: belongsTo('authors', { by: 'author_id' }) }"),
  uniqueTogether: entries,
  access: members("{ read: 'auth:api', write: role('admin') }"),
  operations: texts,
  defaultOrder: textOption,
  hooks: members('{ beforeWrite(call, { values }) { … } }'),
  ...resource(callback, 'where', 'alias', 'create', 'update', 'remove'),
  actions: entries,
  ...resource(schema, 'deleteBody', 'reveals'),
  ...resource(flag, 'versioned', 'softDelete', 'events', 'mcp'),
  changes: flagOrTexts,
};

const access = optionsOf<AccessRules>();
export const accessOptions: OptionKinds<AccessRules> = access(anything, 'read', 'write', 'create', 'update', 'delete');

const hooks = optionsOf<Hooks<Fields>>();
export const hookOptions: OptionKinds<Hooks<Fields>> = {
  ...hooks(callback, 'prepare', 'prepareDelete', 'beforeWrite', 'afterWrite', 'afterCommit'),
};

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

const action = optionsOf<Action>();
export const actionOptions: OptionKinds<Action> = {
  name: textOption,
  method: oneOfValues(...methods),
  on: oneOfValues('row', 'collection'),
  access: anything,
  ...action(schema, 'body', 'response'),
  summary: textOption,
  status: successStatus,
  run: callback,
};

export const relationOptions: { readonly [K in keyof Links]: OptionKinds<Links[K]> } = {
  belongsTo: { by: textOption },
  hasMany: { by: textOption },
  manyToMany: { through: textOption, from: textOption, to: textOption },
  listsNames: { list: textOption, key: textOption },
  namedBy: { list: textOption, key: textOption },
};

const field = optionsOf<FieldOptions<unknown>>();
/** The options of fields of every type. The file of a type has its own options. */
export const fieldOptions: OptionKinds<FieldOptions<unknown>> = {
  ...field(flag, 'required', 'requiredToCreate', 'unique', 'readOnly', 'writeOnly', 'immutable', 'hidden', 'virtual'),
  ...field(flag, 'searchable', 'sortable'),
  renamedFrom: formerNames,
  ...field(textOption, 'column', 'label', 'hint', 'description'),
  ...field(anything, 'default', 'example'),
};

const computed = optionsOf<ComputedOptions>();
export const computedOptions: OptionKinds<ComputedOptions> = {
  as: oneOfValues('text', 'integer', 'number', 'boolean', 'timestamp', 'json', 'list'),
  from: texts,
  nullable: flag,
  ...computed(textOption, 'label', 'description'),
  example: anything,
};
