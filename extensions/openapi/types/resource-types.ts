import type { Action } from '../../../src/resources/declaration/define-resource.ts';
import type { Resource, ResourceRelation, Resources } from '../../../src/resources/model/resource.ts';
import { searchableNames } from '../../../src/resources/query/search-fields.ts';
import { sortableNames } from '../../../src/resources/query/sorting.ts';
import { comparableFields, groupableFields, summableFields } from '../../aggregates/aggregate-query.ts';
import type { JsonSchema } from '../document/json-schema.ts';
import { actionBody, bodySchema, visibleFieldSchema } from '../document/resource-schemas.ts';
import { propertyName, typeOfSchema, unionOf } from './type-of-schema.ts';

/** List fields whose values only the whole service knows: `clients.scopes` contains scopes. */
export type NamedLists = ReadonlyMap<string, string>;

const block = (name: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [`    ${name}: {};`] : [`    ${name}: {`, ...lines.map((line) => `      ${line}`), '    };'];

/** The types of declared resources, for the client library. Equal declarations produce equal text. */
export function resourceTypes(resources: Resources, lists: NamedLists): string {
  const sorted = [...resources.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return ['export interface Resources {', ...sorted.flatMap((resource) => typesOf(resource, lists)), '}', ''].join(
    '\n',
  );
}

function typesOf(resource: Resource, lists: NamedLists): string[] {
  const { name, definition } = resource;
  const typeOf = (field: string, schema: JsonSchema): string => {
    const items = lists.get(`${name}.${field}`);
    return items === undefined ? typeOfSchema(schema) : `${items}[]`;
  };
  const members = ({ properties = {}, required = [] }: JsonSchema): string[] =>
    Object.entries(properties).map(
      ([field, schema]) => `${propertyName(field)}${required.includes(field) ? '' : '?'}: ${typeOf(field, schema)};`,
    );
  const fieldUnion = (fieldsOf: typeof summableFields) => unionOf(fieldsOf(resource).map((field) => field.name));
  const row = resource.shown.map(
    (field) => `${propertyName(field.name)}: ${typeOf(field.name, visibleFieldSchema(field))};`,
  );
  return [
    `  ${propertyName(name)}: {`,
    ...block('row', row),
    ...block('input', members(bodySchema(resource, 'create'))),
    ...block(
      'service',
      serviceFields(resource).map(
        (field) => `${propertyName(field.name)}?: ${typeOf(field.name, visibleFieldSchema(field))};`,
      ),
    ),
    ...block('replacement', members(bodySchema(resource, 'replace'))),
    ...block('created', definition.reveals ? members({ ...definition.reveals }) : []),
    `    search: ${unionOf(searchableNames(resource))};`,
    `    order: ${unionOf(sortableNames(resource))};`,
    `    aggregates: { sum: ${fieldUnion(summableFields)}; range: ${fieldUnion(comparableFields)}; group: ${fieldUnion(groupableFields)} };`,
    `    softDelete: ${definition.softDelete === true};`,
    ...block('relations', [...resource.relations.values()].map(relationType)),
    `    actions: ${(definition.actions ?? []).map((action) => actionType(resource, action)).join(' | ') || 'never'};`,
    '  };',
  ];
}

/** Fields that only the service itself may write: read-only and hidden ones. */
const serviceFields = ({ definition, stored }: Resource) =>
  definition.managed
    ? stored.filter(({ name, sendable }) => !sendable && !['id', 'created_at', 'updated_at'].includes(name))
    : [];

export function tableTypes(resources: Resources): string {
  const sorted = [...resources.values()].filter(({ definition }) => definition.managed);
  sorted.sort((a, b) => (a.name < b.name ? -1 : 1));
  return ['export interface Tables {', ...sorted.flatMap(tableType), '}', ''].join('\n');
}

/** Every column as the database stores it. Columns with a default are optional in an insert. */
function tableType({ table, stored }: Resource): string[] {
  const columns = stored.flatMap(({ name, column, type, options, foldedColumn }) => {
    const isConstant = options.default !== undefined && typeof options.default !== 'function';
    const nullable = !options.required && !isConstant;
    const valueType = `${type.storage === 'text' ? 'string' : 'number'}${nullable ? ' | null' : ''}`;
    const isGenerated = ['id', 'created_at', 'updated_at'].includes(name);
    return [
      `${propertyName(column)}: ${isGenerated ? `Generated<${valueType}>` : valueType};`,
      ...(foldedColumn ? [`${propertyName(foldedColumn)}: Generated<${valueType}>;`] : []),
    ];
  });
  const lines = [...columns, 'version: Generated<number>;'].map((line) => `    ${line}`);
  return [`  ${propertyName(JSON.parse(table))}: {`, ...lines, '  };'];
}

function relationType({ name, relation, target }: ResourceRelation): string {
  const byMember = 'by' in relation ? `; by: '${relation.by}'` : '';
  return `${propertyName(name)}: { resource: '${target.name}'; many: ${relation.kind !== 'belongsTo'}${byMember} };`;
}

function actionType(resource: Resource, action: Action): string {
  const { name, method = 'POST', on = 'row', response } = action;
  const body = actionBody(resource, action);
  const bodyType = body ? typeOfSchema(body) : 'undefined';
  const result = response ? typeOfSchema({ ...response }) : method === 'DELETE' ? 'undefined' : 'unknown';
  return `{ name: '${name}'; method: '${method}'; on: '${on}'; body: ${bodyType}; result: ${result} }`;
}
