import { type Complain, type Definitions, namePattern } from './complaints.ts';
import type { ResourceDefinition } from './define-resource.ts';
import { listType } from './fields/list.ts';

export function checkRelations(definition: ResourceDefinition, all: Definitions, complain: Complain): void {
  for (const [name, relation] of Object.entries(definition.relations ?? {})) {
    const where = `relations.${name}`;
    const target = all.get(relation.target);
    if (!namePattern.test(name)) complain(where, 'a name takes lowercase letters, digits and _.');
    // A list of names gives way to the rows that it names, where they are included.
    const isItsOwnList = relation.kind === 'listsNames' && relation.list === name;
    if ((name in definition.fields && !isItsOwnList) || name === 'id') {
      complain(where, `a field has this name, and both would be "${name}" in answers; rename one.`);
    }
    if (!target) {
      complain(where, `there is no resource "${relation.target}". There are: ${[...all.keys()].join(', ')}.`);
      continue;
    }
    switch (relation.kind) {
      case 'belongsTo':
        requireReference(where, definition, relation.by, relation.target, complain);
        break;
      case 'hasMany':
        requireReference(where, target, relation.by, definition.name, complain);
        break;
      case 'manyToMany': {
        const through = all.get(relation.through);
        if (!through) {
          complain(where, `through: there is no resource "${relation.through}".`);
          break;
        }
        requireReference(where, through, relation.from, definition.name, complain);
        requireReference(where, through, relation.to, relation.target, complain);
        break;
      }
      case 'listsNames':
        requireList(where, definition, relation.list, target, relation.key, complain);
        break;
      case 'namedBy':
        requireList(where, target, relation.list, definition, relation.key, complain);
        break;
    }
  }
  checkActions(definition, complain);
}

function requireReference(where: string, from: ResourceDefinition, by: string, to: string, complain: Complain): void {
  const field = from.fields[by];
  if (field?.options.target === to) return;
  complain(where, `"${by}" of ${from.name} must be a field made by reference('${to}').`);
}

function requireList(
  where: string,
  lister: ResourceDefinition,
  list: string,
  named: ResourceDefinition,
  key: string,
  complain: Complain,
): void {
  if (lister.fields[list]?.type !== listType.name) complain(where, `"${list}" of ${lister.name} must be a list field.`);
  if (!named.fields[key]) complain(where, `${named.name} has no field "${key}".`);
}

function checkActions(definition: ResourceDefinition, complain: Complain): void {
  for (const { name, on } of definition.actions ?? []) {
    if (!/^[a-z][a-z0-9_-]*(\/:?[a-z0-9_-]+)*$/.test(name)) {
      complain(`actions.${name}`, 'a name takes lowercase letters, digits, - and _.');
    }
    if (on !== 'collection' && definition.relations?.[name]) {
      complain(`actions.${name}`, 'a relation has this name, and both would have the same path; rename one.');
    }
  }
}
