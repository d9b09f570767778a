import { namedSchema } from '../../../src/http/named-schema.ts';
import type { Action } from '../../../src/resources/declaration/define-resource.ts';
import { proofBody, stepUpRequirements } from '../../../src/resources/declaration/step-up.ts';
import type { Resource, ResourceField, ResourceRelation } from '../../../src/resources/model/resource.ts';
import { callerRuleOf, ruleOf } from '../../../src/resources/model/row-rules.ts';
import { closedSchema } from '../../../src/resources/routes/closed-schema.ts';
import { comparableFields, groupableFields, summableFields } from '../../aggregates/aggregate-query.ts';
import { component, schemaName } from './components.ts';
import type { Json, JsonSchema } from './json-schema.ts';

function fieldSchema({ type, options, nullable, sendable }: ResourceField): Json {
  const { minLength, maxLength, ...schema } = type.schema(options);
  const { example, description, target } = options;
  const descriptions = [description, target === undefined ? undefined : `The id of one of the ${target}.`].filter(
    Boolean,
  );
  return {
    ...schema,
    // The service does not limit the texts that it writes itself.
    ...(sendable && minLength !== undefined ? { minLength, maxLength } : {}),
    ...(nullable && typeof schema.type === 'string' ? { type: [schema.type, 'null'] } : {}),
    ...(nullable && Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {}),
    ...(example === undefined ? {} : { examples: [example] }),
    ...(descriptions.length > 0 ? { description: descriptions.join(' ') } : {}),
    // For tools that create examples from the document.
    ...(target === undefined ? {} : { 'x-resource': target }),
    ...(options.unique === true ? { 'x-unique': true } : {}),
  };
}

/** The schema of a response. A field whose default depends on the caller can be null. */
export const visibleFieldSchema = (field: ResourceField): JsonSchema =>
  fieldSchema({
    ...field,
    nullable: field.nullable || (typeof field.options.default === 'function' && field.options.required !== true),
  });

function inputFieldSchema(field: ResourceField, mode: 'create' | 'replace'): Json {
  const { default: defaultValue, requiredToCreate } = field.options;
  const constant = defaultValue !== undefined && typeof defaultValue !== 'function';
  const nullable = field.nullable && !(mode === 'create' && requiredToCreate);
  return { ...fieldSchema({ ...field, nullable }), ...(constant ? { default: defaultValue } : {}) };
}

function includeSchema({ relation, target }: ResourceRelation): Json {
  const row = component(target);
  if (relation.kind === 'belongsTo') {
    return {
      type: 'object',
      description: `With \`include\`: the ${target.singular}, or null where there is none that the caller may see.`,
      properties: { data: { anyOf: [row, { type: 'null' }] } },
      required: ['data'],
    };
  }
  const moreSchema = {
    type: 'object',
    description: 'True if there are more rows than the embedded ones.',
    properties: { more: { type: 'boolean' }, all: { type: 'string', description: 'The path of the whole list.' } },
    required: ['more', 'all'],
  };
  return {
    type: 'object',
    description: `With \`include\`: the ${target.name} that the caller may see.`,
    properties: { data: { type: 'array', items: row }, meta: moreSchema },
    required: ['data'],
  };
}

/** A row in a response. `filter` omits fields that are not named, `include` adds relations. */
function rowSchema(resource: Resource): Json {
  const properties = new Map(resource.shown.map((field) => [field.name, visibleFieldSchema(field)]));
  for (const relation of resource.relations.values()) {
    // An included relation replaces the list of names.
    const names = properties.get(relation.name);
    const included = includeSchema(relation);
    properties.set(relation.name, names ? { anyOf: [names, included] } : included);
  }
  return {
    type: 'object',
    description: resource.definition.description ?? `One of the ${resource.name}.`,
    properties: Object.fromEntries(properties),
    required: resource.shown.map(({ name }) => name),
  };
}

const objectOf = (fields: readonly ResourceField[], schemaOf: (field: ResourceField) => Json): Json => ({
  type: 'object',
  properties: Object.fromEntries(fields.map((field) => [field.name, schemaOf(field)])),
  additionalProperties: false,
});

function aggregateSchema(resource: Resource): Json {
  const orNull = (field: ResourceField) => fieldSchema({ ...field, nullable: true });
  const sum = (field: ResourceField): Json => ({ type: [field.type.name === 'decimal' ? 'string' : 'number', 'null'] });
  const computed = {
    count: { type: 'integer', description: 'Rows.' },
    sum: objectOf(summableFields(resource), sum),
    avg: objectOf(summableFields(resource), sum),
    min: objectOf(comparableFields(resource), orNull),
    max: objectOf(comparableFields(resource), orNull),
  };
  return {
    type: 'object',
    description: `With \`aggregate\`: what was computed of ${resource.name}, and the fields that \`groupBy\` names.`,
    properties: {
      ...Object.fromEntries(groupableFields(resource).map((field) => [field.name, orNull(field)])),
      ...computed,
    },
    additionalProperties: false,
  };
}

function partialSchema(resource: Resource): Json {
  const { required: _required, ...row } = rowSchema(resource);
  return { ...row, description: `Those fields of one of the ${resource.name} that \`filter\` names.` };
}

const isRequiredToCreate = ({ options }: ResourceField): boolean =>
  (options.required === true || options.requiredToCreate === true) && options.default === undefined;

/** Whether a PUT must send the field. It need not send fields that are hidden or immutable. */
const isRequiredToReplace = (field: ResourceField): boolean =>
  isRequiredToCreate(field) && field.options.required === true && field.shown && field.options.immutable !== true;

const sendableFields = ({ fields }: Resource) => [...fields.values()].filter((field) => field.sendable);

const onlyProof = { ...proofBody } as JsonSchema;

/**
 * Whether requests under this rule may need `current_password` as a proof. True for every built-in resource, because many require a
 * proof in their code.
 */
export const acceptsProof = ({ definition: { managed, fields } }: Resource, rule: unknown): boolean =>
  managed ? !('current_password' in fields) && stepUpRequirements([rule]).length > 0 : true;

/** The schema of a body, with `current_password` as its last member. */
export const withProof = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  properties: { ...schema.properties, ...onlyProof.properties, ...schema.properties },
});

/** The rule of an action. An action on a row that may write needs the right to change the row. */
export function actionRule(resource: Resource, { on = 'row', method, access }: Action): unknown {
  const rule = access ?? (method === 'GET' ? 'read' : 'write');
  return callerRuleOf(resource, rule === 'write' && on === 'row' ? 'update' : rule);
}

/** The body of an action. */
export function actionBody(resource: Resource, action: Action): JsonSchema | undefined {
  const schema = action.body && (closedSchema(action.body) as JsonSchema);
  const rule = actionRule(resource, action);
  const provable = action.method !== 'GET' && rule !== 'public' && acceptsProof(resource, rule);
  if (!provable || (schema && !schema.properties)) return schema;
  return schema ? withProof(schema) : onlyProof;
}

const uniqueTogetherKeyword = ({ definition: { uniqueTogether = [] } }: Resource): Json =>
  uniqueTogether.length === 0 ? {} : { 'x-unique-together': uniqueTogether };

/**
 * The schema of a write: `create` is POST, `replace` is PUT, `update` is PATCH without required fields. Fields that the path sets are
 * optional. PUT takes the whole row.
 */
export function inputSchema(
  resource: Resource,
  mode: 'create' | 'replace' | 'update',
  parentField?: string,
): JsonSchema {
  const fields = sendableFields(resource);
  const isRequired = { create: isRequiredToCreate, replace: isRequiredToReplace, update: () => false }[mode];
  const required = fields.filter((field) => isRequired(field) && field.name !== parentField).map(({ name }) => name);
  const unsendable = mode === 'replace' ? resource.shown.filter(({ sendable }) => !sendable) : [];
  return {
    type: 'object',
    ...(mode === 'replace' ? { description: 'The whole row. Fields that cannot change may be left out.' } : {}),
    properties: Object.fromEntries([
      ...fields.map((field) => [field.name, mode === 'update' ? fieldSchema(field) : inputFieldSchema(field, mode)]),
      ...unsendable.map((field) => [field.name, visibleFieldSchema(field)]),
    ]),
    ...(required.length === 0 ? {} : { required }),
    ...uniqueTogetherKeyword(resource),
    additionalProperties: false,
  };
}

/** The schema of the body of a write. */
export function bodySchema(
  resource: Resource,
  mode: 'create' | 'replace' | 'update',
  parentField?: string,
): JsonSchema {
  const schema = inputSchema(resource, mode, parentField);
  const rule = ruleOf(resource, mode === 'create' ? 'create' : 'update');
  return acceptsProof(resource, rule) ? withProof(schema) : schema;
}

const link = { type: ['string', 'null'] };

const position: Json = { type: 'string', description: 'The position from which to follow the changes of this list.' };

const paginationSchema = namedSchema('Pagination', {
  type: 'object',
  description: 'The position of this page in the list.',
  properties: {
    total: { type: 'integer', description: 'Exact up to 10,000; see total_capped and the parameter count.' },
    total_capped: { type: 'boolean', description: 'True if there are more rows than `total`.' },
    count: { type: 'integer', description: 'Rows on this page.' },
    per_page: { type: 'integer' },
    current_page: { type: 'integer' },
    total_pages: { type: 'integer' },
    next_cursor: { type: ['string', 'null'], description: 'With the parameter cursor: the cursor of the next page.' },
    links: { type: 'object', properties: { next: link, previous: link } },
  },
  required: ['count', 'per_page', 'links'],
});

const response = (data: Json): Json => ({ type: 'object', properties: { data }, required: ['data'] });

export function resourceComponents(resource: Resource): [string, Json][] {
  const { definition } = resource;
  const row = component(resource);
  const read = { anyOf: [row, component(resource, 'Partial')] };
  const created: [string, Json][] = [
    [schemaName(resource, 'Created'), { allOf: [row, definition.reveals] }],
    [schemaName(resource, 'CreatedResponse'), response(component(resource, 'Created'))],
  ];
  return [
    [schemaName(resource), rowSchema(resource)],
    [schemaName(resource, 'Partial'), partialSchema(resource)],
    [schemaName(resource, 'Aggregate'), aggregateSchema(resource)],
    [schemaName(resource, 'Read'), response(read)],
    [schemaName(resource, 'Input'), bodySchema(resource, 'create')],
    [schemaName(resource, 'Replacement'), bodySchema(resource, 'replace')],
    [schemaName(resource, 'Patch'), bodySchema(resource, 'update')],
    [schemaName(resource, 'Response'), response(row)],
    [
      schemaName(resource, 'List'),
      {
        type: 'object',
        properties: {
          data: { type: 'array', items: { anyOf: [...read.anyOf, component(resource, 'Aggregate')] } },
          meta: {
            type: 'object',
            properties: { pagination: paginationSchema, ...(resource.changes ? { changes_position: position } : {}) },
            required: ['pagination', ...(resource.changes ? ['changes_position'] : [])],
          },
        },
        required: ['data', 'meta'],
      },
    ],
    ...(definition.reveals ? created : []),
  ];
}
