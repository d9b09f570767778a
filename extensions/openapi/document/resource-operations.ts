import { namedSchema } from '../../../src/http/named-schema.ts';
import type { Action, Operation } from '../../../src/resources/declaration/define-resource.ts';
import { exampleId } from '../../../src/resources/declaration/fields/uuid.ts';
import { proofBody, stepUpText } from '../../../src/resources/declaration/step-up.ts';
import type { Resource, ResourceRelation } from '../../../src/resources/model/resource.ts';
import { type RowOperation, ruleOf } from '../../../src/resources/model/row-rules.ts';
import { searchableNames, searchablePaths } from '../../../src/resources/query/search-fields.ts';
import { sortableNames, sortablePaths } from '../../../src/resources/query/sorting.ts';
import { aggregateFunctions, groupableFields, summableFields } from '../../aggregates/aggregate-query.ts';
import { pascalCase } from './component-names.ts';
import { component, schemaName } from './components.ts';
import type { Json } from './json-schema.ts';
import { problemSchema } from './problem-schema.ts';
import { acceptsProof, actionBody, actionRule, bodySchema } from './resource-schemas.ts';

export interface RouteDocs extends Json {
  readonly response: Readonly<Record<number, object | undefined>>;
}

/** "an owner", "a user": chooses the article by the sound of the first letters. */
const withArticle = (singular: string) => `${/^(?!eu|one|u(?:s|ni))[aeiou]/i.test(singular) ? 'an' : 'a'} ${singular}`;

export const json = (description: string, schema: object) => ({
  description,
  content: { 'application/json': { schema } },
});
export const problem = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: problemSchema } },
});
const parameter = (description: string, example?: string) => ({
  type: 'string',
  description,
  ...(example === undefined ? {} : { examples: [example] }),
});

const rowResponse = (resource: Resource) => component(resource, 'Response');
const createdResponse = (resource: Resource) =>
  component(resource, `${resource.definition.reveals ? 'Created' : ''}Response`);

const idParameter = (resource: Resource) => ({
  type: 'object',
  properties: { id: parameter(`The id of one of the ${resource.name}.`, exampleId) },
  required: ['id'],
});

const deletedParameter = (values: readonly string[]) => ({
  type: 'string',
  enum: values,
  description: 'Return only deleted rows, or all rows. Callers see only deleted rows that they may delete.',
});

const joinNames = (fields: readonly { readonly name: string }[]): string => fields.map(({ name }) => name).join(', ');
const pathsText = (paths: readonly string[]): string =>
  paths.length === 0 ? '' : ` Through relations: ${paths.slice(0, 20).join(', ')}.`;

function aggregateParameters(resource: Resource): Record<string, object> {
  const summable = summableFields(resource);
  return {
    aggregate: parameter(
      `Compute in place of listing rows, with , between them: ${aggregateFunctions.join(', ')}. All but count name a field.${summable.length === 0 ? '' : ` sum and avg take: ${joinNames(summable)}.`}`,
      'count',
    ),
    groupBy: parameter(
      `With aggregate: compute for each value of these fields: ${joinNames(groupableFields(resource))}.`,
    ),
  };
}

function selectionParameters(resource: Resource): Record<string, object> {
  const relations = [...resource.relations.keys()];
  return {
    filter: parameter('Return only these fields, separated by ;'),
    ...(relations.length === 0
      ? {}
      : { include: parameter(`Embed relations, with , between them: ${relations.join(', ')}.`) }),
    ...(resource.definition.softDelete ? { deleted: deletedParameter(['only', 'with']) } : {}),
  };
}

function listParameters(resource: Resource): Record<string, object> {
  const searchable = searchableNames(resource);
  return {
    search: parameter(
      `Pairs of field:value, separated by ; (a|b:value searches several fields). * at either end is a wildcard; > >= < <= != compare; a,b matches one of the values; null matches no value; \\ escapes. Fields: ${searchable.join(', ')}.${pathsText(searchablePaths(resource))}`,
    ),
    searchJoin: { type: 'string', enum: ['and', 'or'], description: 'All pairs must match (and), or one (or).' },
    searchFields: parameter('Pairs of field:operator, separated by ; with the operators =, like and in.'),
    orderBy: parameter(
      `Fields to sort by, separated by ; Fields: ${sortableNames(resource).join(', ')}.${pathsText(sortablePaths(resource))}`,
    ),
    sortedBy: parameter('asc or desc for each field of orderBy, separated by ;'),
    ...selectionParameters(resource),
    page: { type: 'integer', minimum: 1, description: 'The page, from 1.' },
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 20, description: 'The number of rows on a page.' },
    count: { type: 'string', enum: ['exact', 'none'], description: 'Count all rows or none. Default: up to 10,000.' },
    cursor: parameter('The position of the page: empty for the first page, then next_cursor.'),
    ...aggregateParameters(resource),
  };
}

const query = (properties: Record<string, object>) => ({ type: 'object', properties });
const body = (resource: Resource, ending: string) => component(resource, ending);

export const accessErrors = {
  401: problem('The access token is missing, expired or invalid.'),
  403: problem('The access token is valid, but it does not allow this.'),
};
const notFound = { 404: problem('The row does not exist, or you cannot see it.') };
const invalid = { 422: problem('Some fields are invalid. `errors` lists them.') };
const preconditionFailed = { 412: problem('`If-Match` does not match: the row has changed.') };
const changeErrors = { ...accessErrors, ...notFound, ...preconditionFailed, ...invalid };

const summaries: Record<Operation, (resource: Resource) => string> = {
  list: ({ name }) => `List ${name}`,
  find: ({ singular }) => `Find ${withArticle(singular)} by id`,
  create: ({ singular }) => `Create ${withArticle(singular)}`,
  replace: ({ singular }) => `Replace ${withArticle(singular)}`,
  update: ({ singular }) => `Change some fields of ${withArticle(singular)}`,
  delete: ({ singular }) => `Delete ${withArticle(singular)}`,
};

function clientCall({ name }: Resource, operation: Operation): string {
  const calls: Record<Operation, string> = {
    list: 'const { data, pagination } = await RESOURCE.list({ limit: 20 });',
    find: 'const { data, etag } = await RESOURCE.get(id);',
    create: 'const { data } = await RESOURCE.create({body});',
    replace: 'const { data } = await RESOURCE.replace(id, {body});',
    update: 'const { data } = await RESOURCE.patch(id, {body});',
    delete: 'await RESOURCE.delete(id);',
  };
  return calls[operation].replace('RESOURCE', `gatehouse.resource('${name}')`);
}

const rowOperation: Readonly<Record<Operation, RowOperation>> = {
  list: 'read',
  find: 'read',
  create: 'create',
  replace: 'update',
  update: 'update',
  delete: 'delete',
};

const defaultScopes = ({ readScope, writeScope }: Resource, operation: Operation): readonly string[] =>
  operation === 'list' || operation === 'find' ? [readScope] : [writeScope];

export function operationDocs(
  resource: Resource,
  operation: Operation,
  scopes = defaultScopes(resource, operation),
): RouteDocs {
  const { name, definition } = resource;
  const provesDelete = definition.managed && acceptsProof(resource, ruleOf(resource, 'delete'));
  const deleteBody = definition.deleteBody ?? (provesDelete ? proofBody : undefined);
  const common = {
    tags: [name],
    operationId: `${operation}_${name}`,
    summary: summaries[operation](resource),
    description: `Needs the ${scopes.length > 1 ? 'scopes' : 'scope'} ${scopes.map((scope) => `\`${scope}\``).join(', ')}.${operation === 'replace' ? ' Fields that you leave out get their defaults.' : ''}${stepUpText(ruleOf(resource, rowOperation[operation]))}`,
    'x-client': clientCall(resource, operation),
  };
  const byId = { params: idParameter(resource) };
  switch (operation) {
    case 'list':
      return {
        ...common,
        querystring: query(listParameters(resource)),
        response: {
          200: json('A page of rows.', component(resource, 'List')),
          400: problem('A parameter is unknown or malformed.'),
          ...accessErrors,
        },
      };
    case 'find':
      return {
        ...common,
        ...byId,
        querystring: query(selectionParameters(resource)),
        response: { 200: json('The row.', component(resource, 'Read')), ...accessErrors, ...notFound },
      };
    case 'create':
      return {
        ...common,
        body: body(resource, 'Input'),
        response: {
          201: json('The new row. The `Location` header has its URL.', createdResponse(resource)),
          ...accessErrors,
          ...invalid,
        },
      };
    case 'replace':
    case 'update':
      return {
        ...common,
        ...byId,
        body: body(resource, operation === 'update' ? 'Patch' : 'Replacement'),
        response: { 200: json('The row as it is now.', rowResponse(resource)), ...changeErrors },
      };
    case 'delete':
      return {
        ...common,
        ...byId,
        ...(deleteBody ? { body: deleteBody } : {}),
        ...(definition.softDelete ? { querystring: query({ deleted: deletedParameter(['only']) }) } : {}),
        response: {
          204: { description: 'Deleted.', type: 'null' },
          ...accessErrors,
          ...notFound,
          409: problem('Other rows still refer to it.'),
          ...preconditionFailed,
          ...(deleteBody ? invalid : {}),
        },
      };
  }
}

export function restoreDocs(resource: Resource): RouteDocs {
  const { name, singular, writeScope } = resource;
  const rule = ruleOf(resource, 'delete');
  return {
    tags: [name],
    operationId: `restore_${name}`,
    summary: `Restore a deleted ${singular}`,
    description: `Needs the scope \`${writeScope}\`, and the right to delete the row.${stepUpText(rule)}`,
    'x-client': `const { data } = await gatehouse.resource('${name}').restore(id);`,
    params: idParameter(resource),
    ...(acceptsProof(resource, rule) ? { body: proofBody } : {}),
    response: { 200: json('The row as it is now.', rowResponse(resource)), ...changeErrors },
  };
}

export function nestedDocs(
  resource: Resource,
  { name, target, relation }: ResourceRelation,
  operation: 'list' | 'create',
  scopes: readonly string[],
): RouteDocs {
  const docs = operationDocs(target, operation, scopes);
  const parentField = relation.kind === 'hasMany' ? relation.by : undefined;
  const setsParentField =
    operation === 'create' && parentField !== undefined && target.fields.get(parentField)?.options.required === true;
  const input = schemaName(resource, `${pascalCase(name)}Input`);
  return {
    ...docs,
    tags: [resource.name],
    operationId: `${operation}_${resource.name}_${name}`,
    summary:
      operation === 'list'
        ? `List the ${name} of ${withArticle(resource.singular)}`
        : `Create one of the ${name} of ${withArticle(resource.singular)}`,
    params: idParameter(resource),
    ...(setsParentField ? { body: namedSchema(input, bodySchema(target, 'create', parentField)) } : {}),
    response: { ...docs.response, ...notFound },
    'x-client':
      operation === 'list'
        ? `const { data, pagination } = await gatehouse.resource('${resource.name}').of(id, '${name}').list();`
        : `const { data } = await gatehouse.resource('${resource.name}').of(id, '${name}').create({body});`,
  };
}

const resultOf = (data: object) => json('Done.', { type: 'object', properties: { data }, required: ['data'] });
const noContent = { 204: { description: 'Done.', type: 'null' } };

/** An action without a declared response may return any value, or none. A DELETE that declares no status returns none. */
const undeclaredResult = (method: string, status?: number) =>
  method === 'DELETE' && status === undefined ? noContent : { [status ?? 200]: resultOf({}), ...noContent };

export function actionDocs(resource: Resource, action: Action, access: 'read' | 'write' | 'public') {
  const { name, method = 'POST', summary, on = 'row', response, status } = action;
  const input = actionBody(resource, action);
  const scope = access === 'read' ? resource.readScope : resource.writeScope;
  return {
    tags: [resource.name],
    operationId: `${method === 'DELETE' ? 'delete_' : ''}${name.replaceAll(/[^a-z0-9]+/g, '_')}_${resource.name}`,
    summary,
    description:
      access === 'public' ? undefined : `Needs the scope \`${scope}\`.${stepUpText(actionRule(resource, action))}`,
    params: on === 'row' ? idParameter(resource) : undefined,
    body: input,
    'x-client':
      method === 'POST' && on === 'row'
        ? `const result = await gatehouse.resource('${resource.name}').act(id, '${name}'${action.body ? ', {body}' : ''});`
        : undefined,
    response: {
      ...(response ? { [status ?? 200]: resultOf(response) } : undeclaredResult(method, status)),
      ...accessErrors,
      ...(on === 'row' ? notFound : {}),
      ...(input ? invalid : {}),
    },
  };
}
