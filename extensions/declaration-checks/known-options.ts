import { isOneOf } from '../../src/platform/is-one-of.ts';
import type { AccessRules } from '../../src/resources/declaration/access.ts';
import { type Action, type Declaration, type Hooks, methods } from '../../src/resources/declaration/define-resource.ts';
import type { ComputedOptions } from '../../src/resources/declaration/fields/computed.ts';
import type { FieldOptions, Fields } from '../../src/resources/declaration/fields/field.ts';
import { icons } from '../../src/resources/declaration/icon.ts';

import {
  anything,
  callback,
  flag,
  members,
  type OptionKind,
  type OptionKinds,
  oneOfValues,
  schema,
  successStatus,
  textOption,
  texts,
} from '../../src/resources/declaration/option-kind.ts';
import type { Links } from '../../src/resources/declaration/relations.ts';

const flagOrTexts: OptionKind = {
  expected: 'true, false, or a list of texts',
  accepts: (value) => flag.accepts(value) || texts.accepts(value),
};
const formerNames: OptionKind = {
  expected: 'a name, or a list of names',
  accepts: (value) => textOption.accepts(value) || texts.accepts(value),
};
const entries: OptionKind = { expected: 'a list', accepts: Array.isArray };
const isEmoji = (text: string): boolean => /^\p{RGI_Emoji}$/v.test(text);

const iconName: OptionKind = {
  expected: `an emoji, or one of ${icons.join(', ')}`,
  accepts: (value) => typeof value === 'string' && (isOneOf(icons, value) || isEmoji(value)),
};

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
