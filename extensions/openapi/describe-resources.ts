import { type Access, evaluateAccess, probeUser } from '../../src/resources/declaration/access.ts';
import { publishedPattern } from '../../src/resources/declaration/fields/text.ts';
import type { Resource, ResourceField, ResourceRelation, Resources } from '../../src/resources/model/resource.ts';
import { closedSchema } from '../../src/resources/routes/closed-schema.ts';

const allOperations = ['list', 'find', 'create', 'replace', 'update', 'delete'];

type Rows = 'none' | 'some' | 'all';

/**
 * The readers of rows: a user without a role, and a user with each single role. It evaluates the rule for each of them, because a rule is a
 * function.
 */
function readersOf(read: Access, roles: readonly string[], now: number) {
  const rowsFor = (...userRoles: string[]): Rows => {
    try {
      const response = evaluateAccess(read, { ...probeUser(now), roles: userRoles, scopes: ['*'] }, now);
      return response === true ? 'all' : response === false ? 'none' : 'some';
    } catch {
      return 'none';
    }
  };
  return { everyone: rowsFor(), roles: Object.fromEntries(roles.map((role) => [role, rowsFor(role)])) };
}

const flags = ['readOnly', 'writeOnly', 'immutable', 'searchable', 'sortable', 'unique'] as const;

function describeField({ type, options, nullable }: ResourceField, managed: boolean) {
  const { min, max, precision, scale, values, target, description, label, hint, example } = options;
  return {
    ...{ type: type.name, label, description, hint, example },
    required: options.required === true && options.default === undefined,
    nullable,
    ...(Object.fromEntries(flags.map((flag) => [flag, options[flag] === true])) as Record<
      (typeof flags)[number],
      boolean
    >),
    values,
    references: target,
    // For built-in resources, the migrations define the cascades.
    onDelete: target === undefined ? undefined : (options.onDelete ?? (managed ? 'restrict' : 'cascade')),
    default: typeof options.default === 'function' ? undefined : options.default,
    ...{ min, max, precision, scale, pattern: publishedPattern(options.pattern) },
  };
}

const describeRelation = ({ relation: { target, ...rest } }: ResourceRelation) => ({ resource: target, ...rest });

const accessWord = (access: unknown) => (typeof access === 'function' ? 'rule' : access);

export function describeResource(resource: Resource) {
  const { name, singular, definition, fields, relations, readScope, writeScope } = resource;
  const { access } = definition;
  const visibleFields = [...fields.values()].filter(({ options }) => !options.hidden);
  return {
    name,
    singular,
    label: definition.label,
    icon: definition.icon,
    description: definition.description,
    path: `/v1/${name}`,
    operations: definition.operations ?? allOperations,
    defaultOrder: definition.defaultOrder,
    events: definition.events,
    changes: resource.changes !== undefined,
    softDelete: definition.softDelete,
    scopes: { read: readScope, write: writeScope },
    access: {
      read: accessWord(access.read),
      create: accessWord(access.create ?? access.write),
      update: accessWord(access.update ?? access.write),
      delete: accessWord(access.delete ?? access.write),
    },
    fields: Object.fromEntries(visibleFields.map((field) => [field.name, describeField(field, definition.managed)])),
    relations: Object.fromEntries([...relations].map(([key, relation]) => [key, describeRelation(relation)])),
    actions: (definition.actions ?? []).map((action) => ({
      name: action.name,
      method: action.method ?? 'POST',
      on: action.on ?? 'row',
      summary: action.summary,
      body: action.body !== undefined,
      bodySchema: action.body && closedSchema(action.body),
    })),
  };
}

/** The description of the declarations for front ends: the body of `GET /v1/resources`. */
export const describeResources = (resources: Resources, roles: readonly string[], now: number): string =>
  JSON.stringify({
    data: [...resources.values()].map((resource) => ({
      ...describeResource(resource),
      readers: readersOf(resource.definition.access.read, roles, now),
    })),
  });
