import { invalidParameter, unknownName } from '../../http/errors/parameter-errors.ts';
import { insufficientScope, unauthorized } from '../../http/gate/unauthorized.ts';
import { type Caller, hasScope } from '../../platform/caller.ts';
import { splitList } from '../../platform/split-list.ts';
import { fieldOf, type Resource, type ResourceField, type ResourceRelation } from '../model/resource.ts';

/** A relation to embed, and the relations to embed in its rows. */
export interface Include {
  readonly relation: ResourceRelation;
  readonly children: Include[];
}

const maxDepth = 2;
const maxIncludes = 10;

/** Parses `owner,drivers,owner.cars`. The caller's token must allow reading all of these resources. */
export function readIncludes(resource: Resource, text: string, caller: Caller): Include[] {
  const tree: Include[] = [];
  let count = 0;
  for (const path of splitList(text, ',')) {
    const names = path.split('.');
    if (names.length > maxDepth) {
      throw invalidParameter(
        `include: "${path.slice(0, 100)}" is ${names.length} levels deep; at most ${maxDepth} are allowed.`,
      );
    }
    let level = tree;
    let from = resource;
    for (const name of names) {
      let include = level.find(({ relation }) => relation.name === name);
      if (!include) {
        const relation = from.relations.get(name);
        if (!relation) {
          throw unknownName(
            `include: the relation of ${from.name}`,
            name,
            [...from.relations.keys()],
            'relation_unknown',
          );
        }
        requireReadScopes(relation, caller);
        if (++count > maxIncludes) throw invalidParameter(`include: at most ${maxIncludes} relations at once.`);
        include = { relation, children: [] };
        level.push(include);
      }
      level = include.children;
      from = include.relation.target;
    }
  }
  return tree;
}

/** Requires the scopes of the target and of the resource that connects it. */
export function requireReadScopes({ target, through }: ResourceRelation, caller: Caller): void {
  for (const { definition, readScope } of through ? [target, through] : [target]) {
    if (caller.kind === 'anonymous') {
      if (definition.access.read !== 'public') throw unauthorized('token_missing');
    } else if (!hasScope(caller, readScope)) throw insufficientScope(readScope);
  }
}

export function keyColumns(resource: Resource, includes: readonly Include[]): string[] {
  return includes.flatMap(({ relation: { relation } }) =>
    relation.kind === 'belongsTo' ? [fieldOf(resource, relation.by).column] : [],
  );
}

/** The shown fields. An include replaces a list field of the same name. */
export const withoutIncluded = (
  fields: readonly ResourceField[],
  includes: readonly Include[],
): readonly ResourceField[] => fields.filter(({ name }) => !includes.some(({ relation }) => relation.name === name));
