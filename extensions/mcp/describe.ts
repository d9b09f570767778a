import type { Resource } from '../../src/resources/model/resource.ts';
import { describeResource } from '../openapi/describe-resources.ts';
import type { Rights } from './rights.ts';
import { actionName, valuesOf } from './tool-schemas.ts';

/** The relations to offered resources. Others cannot be included here. */
export const relationsOf = ({ relations }: Resource): string[] =>
  [...relations.values()].filter(({ target }) => target.definition.mcp !== false).map(({ name }) => name);

const inShort = ({ resource, may, actions }: Rights) => ({
  name: resource.name,
  ...(resource.definition.description ? { description: resource.definition.description } : {}),
  ...(resource.definition.softDelete ? { softDelete: true } : {}),
  you_may: [...may],
  fields: resource.shown.map(({ name }) => name),
  relations: relationsOf(resource),
  actions: actions.map((action) => actionName(resource, action)),
});

/** A reference to a hidden resource is only an id. */
const withoutHidden = (fields: ReturnType<typeof describeResource>['fields'], offered: ReadonlySet<unknown>) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, { references, ...field }]) => [
      name,
      offered.has(references) ? { ...field, references } : field,
    ]),
  );

function inFull(rights: Rights, offered: ReadonlySet<unknown>) {
  const { resource, may, actions } = rights;
  const { fields, relations } = describeResource(resource);
  return {
    ...inShort(rights),
    fields: withoutHidden(fields, offered),
    relations: Object.fromEntries(relationsOf(resource).map((name) => [name, relations[name]])),
    ...(may.has('create') ? { values_of_create: valuesOf(resource, 'create') } : {}),
    ...(may.has('update') ? { values_of_update: valuesOf(resource, 'update') } : {}),
    actions: actions.map((action) => ({
      action: actionName(resource, action),
      summary: action.summary,
      needs_id: action.on !== 'collection',
      ...(action.body ? { body: action.body } : {}),
    })),
  };
}

const namesOf = (rights: readonly Rights[]) => new Set<unknown>(rights.map(({ resource }) => resource.name));

/** Describes the resources and the caller's rights: one resource in full, or all in short. */
export const describeRights = (rights: readonly Rights[], name: unknown): Record<string, unknown> => ({
  resources:
    name === undefined
      ? rights.map(inShort)
      : rights.filter(({ resource }) => resource.name === name).map((right) => inFull(right, namesOf(rights))),
});
