import { invalidParameter, unknownName } from '../../http/errors/parameter-errors.ts';
import type { Caller } from '../../platform/caller.ts';
import type { Resource, ResourceField, ResourceRelation } from '../model/resource.ts';
import { requireReadScopes } from './include-tree.ts';

/** A field, and the relations that lead to it: `owner.name`. */
export interface FieldPath {
  readonly relations: readonly ResourceRelation[];
  readonly field: ResourceField;
}

export interface PathRules {
  readonly parameter: string;
  accepts(field: ResourceField): boolean;
  names(resource: Resource): readonly string[];
  /** Why an existing field is not allowed: `is not searchable`. */
  readonly refusal: string;
  readonly toOne?: true;
}

const maxRelations = 2;

/** Parses `name` or `owner.name`. The caller's token must allow reading the resources on the path. */
export function readPath(resource: Resource, text: string, caller: Caller, rules: PathRules): FieldPath {
  const { parameter } = rules;
  const names = text.split('.', maxRelations + 2);
  if (names.length > maxRelations + 1) {
    throw invalidParameter(
      `${parameter}: "${text.slice(0, 100)}" goes through too many relations; at most ${maxRelations} are allowed.`,
    );
  }
  const relations: ResourceRelation[] = [];
  let current = resource;
  for (const name of names.slice(0, -1)) {
    const relation = readRelation(current, name, rules);
    requireReadScopes(relation, caller);
    relations.push(relation);
    current = relation.target;
  }
  const name = names.at(-1) ?? '';
  const field = current.fields.get(name);
  if (!field || !rules.accepts(field)) {
    const ofResource = relations.length === 0 ? '' : ` of ${current.name}`;
    const reason = field?.shown ? rules.refusal : undefined;
    throw unknownName(`${parameter}: the field${ofResource}`, name, rules.names(current), 'field_unknown', reason);
  }
  return { relations, field };
}

function readRelation(resource: Resource, name: string, { parameter, toOne }: PathRules): ResourceRelation {
  const relation = resource.relations.get(name);
  const allowedRelations = [...resource.relations.values()].filter(
    (candidate) => !toOne || candidate.relation.kind === 'belongsTo',
  );
  if (!relation) {
    const relationNames = allowedRelations.map((candidate) => candidate.name);
    throw unknownName(`${parameter}: the relation of ${resource.name}`, name, relationNames, 'relation_unknown');
  }
  if (!allowedRelations.includes(relation)) {
    throw invalidParameter(`${parameter}: "${name}" leads to many rows. Use a relation that leads to one.`);
  }
  return relation;
}

/** The paths through one relation, for the API description. */
export const pathsThrough = (resource: Resource, names: (target: Resource) => readonly string[], toOne = false) =>
  [...resource.relations.values()]
    .filter(({ relation }) => !toOne || relation.kind === 'belongsTo')
    .flatMap(({ name, target }) => names(target).map((field) => `${name}.${field}`));
